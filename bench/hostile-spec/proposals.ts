/** The sandbox that the active specs call, and a port that nothing has a reason to call. */
export interface Endpoints {
  readonly sandbox: string;
  readonly canary: string;
}

/** Files of a tree by their path. */
export type Files = Readonly<Record<string, string>>;

const document = (kind: string, metadata: string, spec: string): string =>
  `---\napiVersion: setpoint.dev/v1\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;

const estate = (spec = ''): string =>
  document(
    'Estate',
    '{ name: acme }',
    `{ ${spec}mode: plan, sources: [{ name: web, repo: /srv/git/web.git, owners: [team-web] }], hooks: [{ name: forge, from: github, secret: { env: SETPOINT_SECRET_HOOK } }] }`,
  );

/** `more`: further fields, each with a comma behind it. */
const aws = (endpoint: string, more = '', name = 'aws-prod'): string =>
  document(
    'Target',
    `{ name: ${name} }`,
    `{ provider: aws, account: "111122223333", region: eu-west-1, ${more}endpoint: "${endpoint}" }`,
  );

const azure = (endpoint: string): string =>
  document(
    'Target',
    '{ name: azure-prod }',
    `{ provider: azure, account: 11112222-3333-4444-8555-666677778888, region: westeurope, resourceGroup: acme, endpoint: "${endpoint}" }`,
  );

/** A machine on Azure, with a password unless another `access` is given. */
const jump = (access = 'password: { env: SETPOINT_SECRET_LOGIN }', more = ''): string =>
  document(
    'Instance',
    '{ name: jump }',
    `{ targets: [azure-prod], network: core, subnet: app, image: "a:b:c:latest", size: Standard_B2s, ${more}access: { user: ops, ${access} } }`,
  );

/** A machine on AWS. */
const machine = (metadata: string, more = ''): string =>
  document(
    'Instance',
    metadata,
    `{ targets: [aws-prod], network: core, subnet: app, image: ami-0abcdef1234567890, size: t3.small${more} }`,
  );

/** The active specs, with the overlay `prod`. */
export const activeFiles = ({ sandbox }: Endpoints): Files => ({
  'estate.yaml': estate(),
  'targets.yaml': aws(sandbox) + azure(sandbox),
  'network.yaml': document(
    'Network',
    '{ name: core }',
    '{ targets: [aws-prod, azure-prod], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }',
  ),
  'machines.yaml': jump() + machine('{ name: web }', ', userData: { file: web.sh }'),
  'web.sh': '#!/bin/sh\necho hello\n',
  '@web/site.yaml': machine('{ name: site, owner: team-web }'),
  'overlays/prod/targets.yaml': document('Target', '{ name: aws-prod }', '{ mode: plan }'),
});

/** A line of defence against a hostile proposal. */
export type Line = 'reader' | 'trust' | 'eyes' | 'secrets';

/** A pull request by somebody who means harm. */
export interface Proposal {
  readonly name: string;
  /** The end it must come to: refused, reported as invalid, or planned without its hostile part. */
  readonly want: 'refused' | 'unsound' | 'planned';
  /** Each of these alone is enough to stop it. */
  readonly stoppedBy: readonly Line[];
  readonly files: (endpoints: Endpoints) => Attempt;
}

export interface Attempt {
  /** Over those in force; '' takes one away. */
  readonly files: Files;
  /** The same, as a reader would take it that refuses nothing. */
  readonly meant?: Files;
  /** Files that are links, and where to; `..` leads out to a file that is not the proposal's. */
  readonly links?: Files;
}

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGQ';
const ROLE = 'credentials: { assumeRole: "arn:aws:iam::111122223333:role/admin" }, ';
const STRANGE_ROLE = ROLE.replace('1111', '9999');
const variable = (name: string): string => `credentials: { env: ${name} }, `;

/** The target on AWS as somebody else would have it. */
const target = (text: string, { sandbox }: Endpoints, more: Files = {}): Files => {
  const before = activeFiles({ sandbox, canary: '' })['targets.yaml'] ?? '';
  return { 'targets.yaml': before.replace(aws(sandbox), text), ...more };
};

export const proposals: readonly Proposal[] = [
  {
    name: 'the endpoint of a target',
    want: 'refused',
    stoppedBy: ['trust'],
    files: (endpoints) => ({ files: target(aws(endpoints.canary), endpoints) }),
  },
  {
    name: 'an endpoint that is no loopback address',
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: target(aws('http://169.254.169.254/'), endpoints),
      meant: target(aws(endpoints.canary), endpoints),
    }),
  },
  {
    name: 'an endpoint with a host behind its @',
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: target(aws('http://127.0.0.1:80@evil.example/'), endpoints),
      meant: target(aws(endpoints.canary), endpoints),
    }),
  },
  {
    name: 'an endpoint in the overlay that is in force',
    want: 'refused',
    stoppedBy: ['trust'],
    files: (endpoints) => ({ files: { 'overlays/prod/targets.yaml': aws(endpoints.canary) } }),
  },
  {
    name: 'an endpoint in an overlay that is not',
    want: 'planned',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: { 'overlays/evil/targets.yaml': aws(endpoints.canary) },
      meant: target(aws(endpoints.canary), endpoints),
    }),
  },
  {
    name: 'a target more, and the network on it',
    want: 'refused',
    stoppedBy: ['trust'],
    files: (endpoints) => ({
      files: {
        'targets2.yaml': aws(endpoints.canary, '', 'aws-two').replace('eu-west-1', 'eu-west-2'),
        'network.yaml': (activeFiles(endpoints)['network.yaml'] ?? '').replace('[aws-prod', '[aws-two, aws-prod'),
      },
    }),
  },
  {
    name: 'a target twice, the second elsewhere',
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: { 'zz.yaml': aws(endpoints.canary) },
      meant: target(aws(endpoints.canary), endpoints),
    }),
  },
  {
    name: 'an endpoint as the second of two equal keys',
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: target(aws(endpoints.sandbox, `endpoint: "${endpoints.canary}", `), endpoints),
      meant: target(aws(endpoints.canary), endpoints),
    }),
  },
  {
    name: 'a role of the account',
    want: 'refused',
    stoppedBy: ['trust'],
    files: (endpoints) => ({ files: target(aws(endpoints.sandbox, ROLE), endpoints) }),
  },
  {
    name: 'a role of another account',
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({ files: target(aws(endpoints.sandbox, STRANGE_ROLE), endpoints) }),
  },
  {
    name: 'credentials in another variable',
    want: 'refused',
    stoppedBy: ['trust'],
    files: (endpoints) => ({ files: target(aws(endpoints.sandbox, variable('SETPOINT_SECRET_OTHER')), endpoints) }),
  },
  {
    name: 'credentials in a variable that is not set aside for us',
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: target(aws(endpoints.sandbox, variable('AWS_SECRET_ACCESS_KEY')), endpoints),
      meant: target(aws(endpoints.sandbox, variable('SETPOINT_SECRET_KEY')), endpoints),
    }),
  },
  {
    name: 'credentials in a file',
    want: 'refused',
    stoppedBy: ['trust'],
    files: (endpoints) => ({ files: target(aws(endpoints.sandbox, 'credentials: { file: cloud.json }, '), endpoints) }),
  },
  {
    name: "credentials in a cloud's store, asked at an endpoint of their own",
    want: 'refused',
    stoppedBy: ['trust'],
    files: (endpoints) => ({
      files: target(
        aws(
          endpoints.canary,
          'credentials: { uri: "arn:aws:secretsmanager:eu-west-1:111122223333:secret:x-a1b2c3" }, ',
        ),
        endpoints,
      ),
    }),
  },
  {
    name: 'credentials by an anchor and its alias',
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: target(aws(endpoints.sandbox, 'credentials: *login, '), endpoints, {
        'machines.yaml': jump('password: &login { env: SETPOINT_SECRET_LOGIN }'),
      }),
      meant: target(aws(endpoints.sandbox, variable('SETPOINT_SECRET_LOGIN')), endpoints),
    }),
  },
  {
    name: 'an endpoint by a merge key',
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: target(aws(endpoints.sandbox, `<<: { endpoint: "${endpoints.canary}" }, `), endpoints),
      meant: target(aws(endpoints.canary), endpoints),
    }),
  },
  {
    name: 'the password of a machine in another variable',
    want: 'refused',
    stoppedBy: ['trust'],
    files: () => ({
      files: { 'machines.yaml': jump('password: { env: SETPOINT_SECRET_GIT_TOKEN }') + machine('{ name: web }') },
    }),
  },
  {
    name: 'the password of a machine for one target',
    want: 'refused',
    stoppedBy: ['trust'],
    files: () => ({
      files: {
        'machines.yaml': jump(undefined, 'on: { azure-prod: { access: { password: { file: cloud.json } } } }, '),
      },
    }),
  },
  {
    name: 'a source of its own',
    want: 'refused',
    stoppedBy: ['trust'],
    files: () => ({
      files: {
        'estate.yaml': estate().replace(
          'owners: [team-web] }',
          'owners: [team-web] }, { name: evil, repo: "https://evil.example/x.git", owners: [evil] }',
        ),
      },
    }),
  },
  {
    name: 'signers, a mode and limits of its own',
    want: 'refused',
    stoppedBy: ['trust'],
    files: () => ({
      files: {
        'estate.yaml': estate(
          `limits: { deletes: 1000 }, signatures: { required: true, signers: [{ name: eve, email: eve@evil.example, ssh: "${key}" }] }, `,
        ).replace('mode: plan', 'mode: enforce'),
      },
    }),
  },
  {
    name: 'the secret of a hook, and keys of its own',
    want: 'refused',
    stoppedBy: ['trust'],
    files: ({ canary }) => ({
      files: {
        'estate.yaml': estate().replace(
          'SETPOINT_SECRET_HOOK } }',
          `SETPOINT_SECRET_LOGIN } }, { name: cloud, from: pubsub, audience: x, serviceAccount: a@b.gserviceaccount.com, keys: "${canary}" }`,
        ),
      },
    }),
  },
  {
    name: 'user data by a way out of the tree',
    want: 'unsound',
    stoppedBy: ['reader'],
    files: () => ({
      files: { 'machines.yaml': jump() + machine('{ name: web }', ', userData: { file: ../outside.sh }') },
      meant: { 'machines.yaml': jump() + machine('{ name: web }', ', userData: { file: way-out.sh }') },
      links: { 'way-out.sh': '../outside.sh' },
    }),
  },
  {
    name: 'user data by a link out of the tree',
    want: 'unsound',
    stoppedBy: ['reader'],
    files: () => ({ files: { 'web.sh': '' }, links: { 'web.sh': '../outside.sh' } }),
  },
  {
    name: "a target in a team's tree",
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: (endpoints) => ({
      files: {
        '@web/target.yaml': aws(endpoints.canary, '', 'aws-web').replace('eu-west-1', 'eu-west-2'),
        'network.yaml': (activeFiles(endpoints)['network.yaml'] ?? '').replace('[aws-prod', '[aws-web, aws-prod'),
      },
    }),
  },
  {
    name: "an Estate in a team's tree that is none of the estate's",
    want: 'unsound',
    stoppedBy: ['reader', 'trust'],
    files: () => ({ files: { '@evil/estate.yaml': estate('limits: { deletes: 1000 }, ') } }),
  },
];
