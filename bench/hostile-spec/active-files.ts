import type { Endpoints, Files } from './endpoints.ts';

const document = (kind: string, metadata: string, spec: string): string =>
  `---\napiVersion: setpoint.dev/v1\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;

export const estate = (spec = ''): string =>
  document(
    'Estate',
    '{ name: acme }',
    `{ ${spec}mode: plan, sources: [{ name: web, repo: /srv/git/web.git, owners: [team-web] }], hooks: [{ name: forge, from: github, secret: { env: SETPOINT_SECRET_HOOK } }] }`,
  );

/** `more`: further fields, each with a comma behind it. */
export const aws = (endpoint: string, more = '', name = 'aws-prod'): string =>
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
export const jump = (access = 'password: { env: SETPOINT_SECRET_LOGIN }', more = ''): string =>
  document(
    'Instance',
    '{ name: jump }',
    `{ targets: [azure-prod], network: core, subnet: app, image: "a:b:c:latest", size: Standard_B2s, ${more}access: { user: ops, ${access} } }`,
  );

/** A machine on AWS. */
export const machine = (metadata: string, more = ''): string =>
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
