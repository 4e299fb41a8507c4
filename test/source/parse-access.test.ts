import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderProblem } from '../../src/core/documents/problem.ts';
import { parseAccess } from '../../src/source/parse-access.ts';

const head = 'apiVersion: setpoint.dev/v1\nkind: Access\n';
const issuer = '{ issuer: "https://login.acme.example", audience: setpoint, algorithms: [RS256] }';
const beside = (more: string) => issuer.replace(' }', `, ${more} }`);
const other = issuer.replace('login', 'other');
const local = (more = '') =>
  `{ issuer: "http://127.0.0.1:8080/realms/a", audience: setpoint, algorithms: [ES256]${more} }`;
const file = (oidc: string, bindings = '[]') => `${head}oidc: [${oidc}]\nbindings: ${bindings}\n`;
const bound = (who: string, more = 'role: viewer') => `[{ who: ${who}, ${more} }]`;

describe('an access file', () => {
  it('says whom we believe, and what they may', () => {
    const text = `${head}
oidc:
  - issuer: https://login.acme.example
    audience: setpoint
    algorithms: [RS256, EdDSA]
    jwks: https://keys.acme.example/certs
    claims: { person: upn, groups: roles }
    networks: [10.20.0.0/16]
bindings:
  - who: { group: team-net }
    role: operator
    estates: [acme]
    targets: [aws-prod]
    owners: [team-net]
`;
    const { access, problems } = parseAccess({ path: 'access.yaml', text });
    assert.equal(problems, undefined);
    assert.equal(access?.oidc[0]?.claims?.person, 'upn');
    assert.deepEqual(access.bindings, [
      { who: { group: 'team-net' }, role: 'operator', estates: ['acme'], targets: ['aws-prod'], owners: ['team-net'] },
    ]);
  });

  it('may be JSON', () => {
    const oidc = [{ issuer: 'https://a.example', audience: 'setpoint', algorithms: ['RS256'] }];
    const text = JSON.stringify({ apiVersion: 'setpoint.dev/v1', kind: 'Access', oidc, bindings: [] });
    assert.ok(parseAccess({ path: 'access.json', text }).access);
  });

  for (const [name, text] of [
    ['an issuer on this machine, where it is said', file(local(', allowLocal: true'))],
    ['its keys there', file(local(', allowLocal: true, jwks: "http://127.0.0.1:8080/certs"'))],
    [
      'two issuers, each named',
      file(`${issuer}, ${other}`, bound('{ group: a, issuer: "https://other.acme.example" }')),
    ],
  ] as const)
    it(`may have ${name}`, () => assert.equal(parseAccess({ path: 'a.yaml', text }).problems, undefined));
});

const wrong: readonly (readonly [name: string, text: string, said: string])[] = [
  ['nothing in it', '', 'a.yaml:1:1: error: there is nothing in this file'],
  ['two documents', `${file(issuer)}---\n${file(issuer)}`, 'a second document'],
  ['an alias', `${head}oidc: &a [${issuer}]\nbindings: []\n`, 'anchors'],
  ['a kind of specs', file(issuer).replace('Access', 'Estate'), '`kind` is "Estate"'],
  ['no issuer', file(''), 'expected: at least one issuer'],
  ['an unknown field', file(beside('audiance: x')), 'did you mean: audience'],
  ['no algorithm', file(issuer.replace('[RS256]', '[]')), 'expected: at least one, such as RS256'],
  ['none', file(issuer.replace('RS256', 'none')), '`oidc[0].algorithms[0]` is "none"'],
  ['a shared secret', file(issuer.replace('RS256', 'HS256')), 'did you mean: RS256'],
  ['an issuer by http', file(issuer.replace('https', 'http')), 'the address of the issuer'],
  ['an issuer with a query', file(issuer.replace('example"', 'example/?a=b"')), 'no user, query or fragment'],
  ['a password in an address', file(issuer.replace('login', 'a:b@login')), 'no user, query or fragment'],
  ['an issuer twice', file(`${issuer}, ${issuer}`), '`oidc[1].issuer` is "https://login.acme.example"'],
  ['an issuer on this machine', file(local()), 'expected: allowLocal: true beside it'],
  ['allowLocal elsewhere', file(beside('allowLocal: true')), 'expected: only for an issuer on this machine'],
  ['keys on this machine', file(beside('jwks: "http://127.0.0.1/k"')), 'expected: https; an address on this machine'],
  ['a public network', file(beside('networks: [8.8.8.0/24]')), 'expected: a network within 10/8'],
  ['all networks', file(beside('networks: ["0.0.0.0/0"]')), 'expected: a network within 10/8'],
  ['this machine as a network', file(beside('networks: [127.0.0.0/8]')), 'expected: a network within 10/8'],
  ['metadata as a network', file(beside('networks: [169.254.169.254/32]')), 'expected: a network within 10/8'],
  ['an unknown role', file(issuer, bound('{ group: a }', 'role: owner')), '`bindings[0].role` is "owner"'],
  ['nobody', file(issuer, bound('{}')), 'expected: exactly one of person, group and subject'],
  ['two at once', file(issuer, bound('{ person: a, group: b }')), 'exactly one of person, group and subject'],
  ['a list of estates that is empty', file(issuer, bound('{ group: a }', 'role: viewer, estates: []')), 'at least one'],
  ['an owner of two lines', file(issuer, bound('{ group: a }', 'role: viewer, owners: ["a\\nb"]')), 'printable'],
  [
    'an issuer that is not above',
    file(issuer, bound('{ group: a, issuer: "https://x.example" }')),
    'login.acme.example',
  ],
  [
    'a group without an issuer, of several',
    file(`${issuer}, ${other}`, bound('{ group: a }')),
    'expected: issuer: a name of one issuer means nothing at another',
  ],
];

describe('an access file is refused, and says where and why:', () => {
  for (const [name, text, said] of wrong)
    it(name, () => {
      const { problems = [] } = parseAccess({ path: 'a.yaml', text });
      const all = problems.map((problem) => renderProblem(problem)).join('\n');
      assert.ok(all.includes(said), all);
      assert.match(all, /^a\.yaml:\d+:\d+: error: /);
    });
});
