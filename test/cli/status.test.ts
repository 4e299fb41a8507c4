import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusText } from '../../src/cli/commands/status.ts';
import type { NextEstate } from '../../src/cli/options.ts';
import type { InGrace } from '../../src/ports/queries.ts';
import type { EstateStatus } from '../../src/queries/status.ts';
import { served } from './server/support/served.ts';
import { commandLine, movableClock } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const scope = 'aws/111122223333/eu-west-1';
const where = { estate: 'acme', scope };
const until = Date.parse('2036-12-01T08:00Z');
const pace = { criticality: 'normal', everyMs: 300_000 } as const;

const { specs, sandbox } = await sandboxed();
const run = commandLine();
const store = run.database.connect();

test('without a store there is nothing to tell', async () => {
  const { code, stderr } = await run(['status', specs]);
  assert.equal(code, 1);
  assert.match(stderr, /There is no store in .*--dir/s);
});

test('a quiet estate is a few lines; no cloud is asked', async () => {
  assert.equal((await run(['apply', specs, '--allow-endpoint', '--yes'])).code, 0);
  await store.fleet.rollouts.stand(where, 1);
  sandbox.control.log.clear();
  const { code, stdout, stderr } = await run(['status', specs]);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    new RegExp(
      `^Status: acme · generation 1 \\(folder \\w{7}\\)\nSCOPE +CRITICALITY +EVERY +NEXT +APPLIED\n${scope} +normal +5m +generation 1\n$`,
    ),
  );
  assert.deepEqual(sandbox.control.log.entries(), []);
});

test('holds and approvals: the person, the reason, the end, and the command that changes them', async () => {
  const guards = (await store.generations.current('acme'))?.guards ?? assert.fail();
  await store.generations.accept('acme', 'folder:0123456789', guards);
  const { pauses, approvals, rollouts, quarantine, requests } = store.fleet;
  const of = { by: 'owner', name: 'team web' } as const;
  await pauses.begin('acme', { what: 'healing', of, reason: 'debugging', person: 'ann', until });
  const by = { person: 'bob', reason: 'reviewed' };
  const given = { digest: 'd1', actions: ['a1', 'a2'], destroys: 1, by, until };
  const { seq } = await approvals.give({ ...where, generation: 2, ...given });
  await rollouts.stop(where, { document: `${scope}/instance/web`, generation: 2, why: 'web-0 does not run' });
  await quarantine.put(where, 'x is not a function', 2);
  await requests.ask(where, 'ann wants it');
  const held = await store.leases.acquire('acme', scope, 'worker-1@host (process 7)');
  const { code, stdout } = await run(['status', specs]);
  assert.equal(code, 0);
  const lines = stdout.split('\n');
  assert.equal(
    lines[0],
    'Status: acme · generation 2 (folder 0123456) · 1 pause · 1 approval · 1 stopped rollout · 1 scope in quarantine',
  );
  assert.match(lines[1] ?? '', /^ {2}The specs in .* \(folder \w{7}\) are not active: see setpoint plan /);
  const said = [
    /generation 1, 2 is not fully applied · reconcile requested: ann wants it/,
    /\nPaused\n {2}healing for owner team web until 2036-12-01 08:00 UTC, by ann: debugging\n/,
    / {4}setpoint resume --healing --owner 'team web' --reason "…"\n/,
    new RegExp(
      `Approved\n  ${scope}: 2 changes, 1 of them destructive until .*, by bob: reviewed \\(ledger entry ${seq}\\)`,
    ),
    new RegExp(
      `Stopped\n  ${scope}/instance/web in generation 2: web-0 does not run\n    setpoint resume --rollout-of ${scope}/`,
    ),
    new RegExp(
      `In quarantine\n  ${scope} for [\\d.]+ m?s: x is not a function\n    setpoint resume --quarantined ${scope} `,
    ),
    new RegExp(`Busy\n  ${scope}: worker-1@host \\(process 7\\), for [\\d.]+ m?s\n$`),
  ];
  for (const pattern of said) assert.match(stdout, pattern);
  const json = JSON.parse((await run(['status', specs, '--json'])).stdout);
  assert.deepEqual([json.estate, json.generation.number, json.scopes[0].appliedGeneration], ['acme', 2, 1]);
  assert.deepEqual(
    [
      json.pauses.length,
      json.scopes[0].approvals.length,
      json.scopes[0].stoppedRollouts.length,
      json.scopes[0].reconcileRequest,
    ],
    [1, 1, 1, 'ann wants it'],
  );
  assert.deepEqual([json.quarantined.length, json.leases.length], [1, 1]);
  assert.deepEqual(
    [json.pauses[0].subject.type, json.scopes[0].stoppedRollouts[0].reason],
    ['owner', 'web-0 does not run'],
  );
  assert.ok(held.ok);
  await held.lease.release();
});

test('status shows sources without a following worker, with the way to start one', async () => {
  const source = {
    source: 'https://git.example/infra.git',
    head: 'git:0123456789',
    state: 'followed',
    why: '',
  } as const;
  await store.sources.states.record('acme', source);
  const stopped = (await run(['status', specs])).stdout;
  assert.match(stopped.split('\n')[0] ?? '', / · no worker follows the specs · /);
  assert.match(
    stopped,
    /\nSpecs from\n {2}https:\/\/git\.example\/infra\.git is followed at commit \w+, for .*\n {2}No worker follows them now, .*\n {4}setpoint serve/,
  );
  const leader = await store.leases.acquire('acme', 'specs', 'worker-2@host');
  assert.ok(leader.ok);
  const { stdout } = await run(['status', specs]);
  assert.doesNotMatch(stdout, /[Nn]o worker follows/);
  assert.equal(JSON.parse((await run(['status', specs, '--json'])).stdout).follower, 'worker-2@host');
  await leader.lease.release();
});

test('specs that name another estate are followed there: status does not ask for another worker', async () => {
  const why = 'the specs name the estate lab now, so the active generation of this one stays';
  const source = { source: 'https://git.example/infra.git', head: 'git:0123456789', state: 'broken', why } as const;
  await store.sources.states.record('acme', source);
  assert.match((await run(['status', specs])).stdout, / · no worker follows the specs · /);
  await store.sources.states.record('acme', { ...source, code: 'names-another-estate', why: 'in other words' });
  const { stdout } = await run(['status', specs]);
  assert.doesNotMatch(stdout, /[Nn]o worker follows/);
  assert.match(stdout.split('\n')[0] ?? '', / · the specs name another estate · /);
});

test('specs that are not sound are refused', async () => {
  edit(specs, 'estate.yaml', 'mode: plan', 'mode: plna');
  const { code, stderr } = await run(['status', specs]);
  assert.equal(code, 1);
  assert.match(stderr, /The specs have 1 error/);
});

/** An estate with nothing to tell, and more. */
const statusWith = (more: Partial<EstateStatus>): EstateStatus => ({
  estate: 'acme',
  folder: { dir: 'specs', revision: 'folder:1' },
  scopes: [],
  ...{ limited: [], pauses: [], quarantined: [], leases: [], sources: [], unmanagedScopes: [] },
  ...{ withheldChanges: [], withheldDrift: [], calendar: [], breakGlass: [], patches: [], endedPatches: [] },
  ...{ lifetimes: [], fights: [], looserGuards: [], orphans: 0, violations: { resources: 0, policies: [] } },
  ...more,
});

test('a machine half replaced: both, since when, the next step, and why it goes no further', () => {
  const address = `${scope}/instance/web-0`;
  const pair = { address, predecessor: 'i-1', since: Date.parse('2036-11-30T09:00Z') };
  const replacements = [
    { ...pair, successor: 'i-2', waitsFor: 'the deletion of i-1', heldBy: 'paused for the estate by ada' },
    { ...pair, waitsFor: 'the launch of its successor' },
  ];
  const standing = statusWith({
    scopes: [{ scope, ...pace, appliedGeneration: 1, approvals: [], stopped: [], replacements, inGrace: [] }],
  });
  const [verdict, body] = statusText(standing, { now: until, paint: (_, text) => text });
  assert.match(verdict, / · 2 machines half replaced$/);
  assert.ok(
    body.endsWith(
      [
        'Half replaced',
        `  ${address}: i-1 and its successor i-2 since 2036-11-30 09:00 UTC, waits for the deletion of i-1`,
        '    paused for the estate by ada',
        `  ${address}: i-1 and its successor (being launched) since 2036-11-30 09:00 UTC, waits for the launch of its successor`,
      ].join('\n'),
    ),
    body,
  );
});

test('suggested commands carry the folder and the endpoint, or the active specs beside a followed repository', () => {
  const times = { since: until, at: until, until, waits: false, times: 2, from: 'a', to: 'b' };
  const name = `${scope}/instance/web-0`;
  const rule = `${scope}/firewall-rule/core.web.ingress.tcp.22.0.0.0.0/0`;
  const standing = statusWith({
    generation: { number: 2, revision: 'git:1' },
    limited: [{ scope, count: 1, why: 'limits.deletes' }],
    orphans: 1,
    violations: { resources: 1, policies: [{ policy: 'open', effect: 'deny', mode: 'enforce', count: 1 }] },
    withheldChanges: [
      { code: 'policy', failed: false, count: 2, first: [{ name, reason: 'no', next: `setpoint explain ${name}` }] },
    ],
    fights: [
      { ...times, scope, address: name, field: 'size', closes: false },
      { ...times, scope, address: rule, field: 'rule', closes: true },
    ],
    scopes: [
      {
        ...{ scope, ...pace, appliedGeneration: 1, approvals: [], stopped: [], replacements: [] },
        inGrace: Array<InGrace>(21).fill({ kind: 'instance', id: 'i-1', address: name, since: until, until }),
      },
    ],
  });
  const linesOf = (more: Partial<EstateStatus>, next: NextEstate): readonly string[] =>
    [
      ...statusText({ ...standing, ...more }, { now: until, paint: (_, text) => text, next })[1].matchAll(
        /setpoint .*/g,
      ),
    ]
      .map(([line]) => line)
      .toSorted();
  const [plan, approve] = ['setpoint plan', 'setpoint approve --reason "…"'];
  const lines = (same: string, specs: string, first = same) => [
    `setpoint apply${same}`,
    `${approve}${same}`,
    ...['', ' --claim orphan', ' --violations'].map((asked) => `setpoint inventory${asked}${same}`),
    `setpoint prune${specs}`,
    'setpoint restore --as-of TIME',
    `setpoint status --json${same.replace(' --allow-endpoint', '')}`,
    ...[`setpoint explain ${name}${specs}`, `setpoint explain ${name}${specs}`],
    `setpoint ledger ${rule}`,
    `${plan}${first}`,
    `${plan}${same}`,
    `${approve}${same}`,
  ];
  const folder = { dir: 'my specs', allowEndpoint: true };
  assert.deepEqual(
    linesOf({}, folder),
    lines(" 'my specs' --allow-endpoint", " --specs 'my specs' --allow-endpoint").toSorted(),
  );
  assert.deepEqual(
    linesOf({}, { dir: 'specs', allowEndpoint: false, overlay: 'prod' }),
    lines(' --overlay prod', ' --overlay prod').toSorted(),
  );
  assert.deepEqual(
    linesOf({}, { dir: 'specs', allowEndpoint: false, store: '/var/lib/store' }),
    lines('', '')
      .map((line) => (line === 'setpoint restore --as-of TIME' ? line : `${line} --dir /var/lib/store`))
      .toSorted(),
  );
  const followed: Partial<EstateStatus> = {
    follower: 'worker-1',
    sources: [{ source: 'https://git.example/x.git', head: 'git:1', state: 'followed', why: '', since: until }],
  };
  const active = ' --active --allow-endpoint';
  assert.deepEqual(linesOf(followed, folder), lines(active, active, " 'my specs' --allow-endpoint").toSorted());
  const named = ' --active-of acme';
  assert.deepEqual(
    linesOf({}, { dir: 'specs', allowEndpoint: false, activeOf: 'acme' }),
    lines(named, named).toSorted(),
  );
});

test('removed resources that still run: until when, and the ways to keep or to delete them', () => {
  const kind = 'instance' as const;
  const inGrace = [
    { kind, id: 'i-1', address: `${scope}/instance/web-0`, since: until - 3_600_000, until },
    { kind, id: 'i-2', address: `${scope}/instance/web-1`, since: until, until: until + 2_880_000 },
  ];
  const standing = statusWith({
    scopes: [{ scope, ...pace, appliedGeneration: 1, approvals: [], stopped: [], replacements: [], inGrace }],
  });
  const [verdict, body] = statusText(standing, { now: until, paint: (_, text) => text });
  assert.match(verdict, / · 2 resources in their grace$/);
  const lines = body.split('\n').slice(-4);
  assert.equal(lines[0], 'In their grace');
  assert.match(lines[1] ?? '', /web-0 \(i-1\) since .* UTC due: the next reconcile deletes it/);
  assert.match(lines[2] ?? '', /web-1 \(i-2\) until .* UTC, in 48 min/);
  assert.equal(
    lines[3],
    '    To keep them, restore their documents, or write another ttl. To delete them now: setpoint apply',
  );
});

test('lifetimes: their end, the way back, and the rest of an estate', () => {
  const hour = 3_600_000;
  const one = { ttlMs: 8 * hour, since: until - 8 * hour, generation: 1, until, isOver: true };
  const lifetimes = [
    { ...one, document: 'Estate acme', endedAt: until, rest: { resources: 0, unproven: [] } },
    { ...one, document: 'Estate acme', endedAt: until, rest: { resources: 2, unproven: [scope] } },
    { ...one, document: 'Instance web', endedAt: until },
    { ...one, document: 'Instance stuck' },
    {
      document: 'Instance db',
      ttlMs: 90 * 60_000,
      since: until,
      generation: 1,
      until: until + 90 * 60_000,
      isOver: false,
    },
  ];
  const standing = statusWith({ lifetimes });
  const [verdict, body] = statusText(standing, { now: until, paint: (_, text) => text });
  assert.match(verdict, / · 5 lifetimes$/);
  const [empty = '', some = '', web = '', stuck = '', db = ''] = body.split('\n').slice(-5);
  assert.match(
    empty,
    /Estate acme ended .* \(ttl 8 h\)\. Nothing of it is left, by complete observations of all its scopes since$/,
  );
  assert.match(some, /2 resources are left, as far as is known\. Not completely observed since: \S+$/);
  assert.match(web, /Instance web ended .* Remove it from the specs, or write another ttl to bring it back$/);
  assert.match(
    stuck,
    /Instance stuck is over since .*, and has not ended: no worker runs, or its log says the reason$/,
  );
  assert.match(db, /Instance db ends .* UTC, in (90|1\.5|89) ?\w+ \(ttl 90 min\)$/);
});

test('--json lists lifetimes by their end, ended ones last, and counts the rest of an ended estate', async () => {
  const hour = 3_600_000;
  const clock = movableClock();
  const place = await sandboxed();
  const here = commandLine({ clock });
  const applying = ['apply', place.specs, '--allow-endpoint', '--yes', '--allow-deletes', '99'];
  const apply = async () => assert.equal((await here(applying)).code, 0);
  const ends = async () =>
    JSON.parse((await here(['status', place.specs, '--json'])).stdout).lifetimes.map(
      ({ document, ttlMs, since, until: end, endedAt, expired, remaining }: Listed) => [
        ...[document, ttlMs / hour, (end - since) / hour, expired, endedAt !== undefined, remaining],
      ],
    );
  const [db, net, web, estate] = ['Instance db', 'Network core', 'Instance web', 'Estate acme'];
  const rules = ['office-ssh', 'web-https', 'web-to-db'].map((name) => `FirewallRule ${name}`);
  edit(place.specs, 'instances.yaml', 'replicas: 3', 'replicas: 1\n  ttl: 8h');
  edit(place.specs, 'instances.yaml', 'protect: true ', 'ttl: 3h # ');
  edit(place.specs, 'network.yaml', 'internet: true ', 'ttl: 4h\n  internet: true ');
  for (const port of [443, 22, 5432])
    edit(place.specs, 'network.yaml', `ports: [${port}]`, `ports: [${port}]\n  ttl: 8h`);
  edit(place.specs, 'estate.yaml', 'spec:', 'spec:\n  ttl: 6h');
  await apply();
  const inNetwork = [...rules, web].map((one) => [one, 8, 4, false, false, undefined]);
  const later = [[net, 4, 4, false, false, undefined], ...inNetwork, [estate, 6, 6, false, false, undefined]];
  assert.deepEqual(await ends(), [[db, 3, 3, false, false, undefined], ...later]);
  clock.forward(3.5 * hour);
  assert.deepEqual(await ends(), [[db, 3, 3, true, false, undefined], ...later]);
  await apply();
  assert.deepEqual(await ends(), [...later, [db, 3, 3, true, true, undefined]]);
  clock.forward(3 * hour);
  await apply();
  assert.deepEqual((await ends()).at(-1), [estate, 6, 6, true, true, { resources: 2, unprovenScopes: [] }]);
});

test('status and a server list changes that policies and refusals hold, with the reason and the way on', async () => {
  const place = await sandboxed();
  const here = commandLine();
  const policy =
    'apiVersion: setpoint.dev/v1\nkind: Policy\nmetadata: { name: ports }\nspec:\n  kinds: [firewall-rule]\n  mode: enforce\n  rules:\n    - { name: no-telnet, deny: resource.opens(23), message: use ssh }\n---\n';
  edit(place.specs, 'estate.yaml', '---\n', `---\n${policy}`);
  edit(place.specs, 'estate.yaml', 'mode: plan ', 'mode: enforce ');
  edit(place.specs, 'network.yaml', 'ports: [443]', 'ports: [443, 23]');
  const effect = { kind: 'error', code: 'InvalidAMIID.NotFound', status: 400, message: 'no such image' } as const;
  place.sandbox.control.faults.add({ match: { action: 'RunInstances' }, effect });
  const applied = await here(['apply', place.specs, '--allow-endpoint', '--yes']);
  assert.equal(applied.code, 4, applied.stderr);

  const { stdout } = await here(['status', place.specs]);
  assert.match(stdout, /^Status: acme · generation 1 .* · 6 changes withheld\n/);
  const said = [
    /\nWithheld\n {2}failed with InvalidAMIID\.NotFound: 4 resources\n {4}(\S+\/instance\/db-0): Its create failed: No such image .*\n {6}setpoint explain \1 --specs \S+ --allow-endpoint\n/,
    /\n {4}and 1 more: setpoint inventory \S+ --allow-endpoint\n/,
    /\n {2}policy: 2 resources\n {4}\S+\/firewall-rule\/core\.web\S+: .* denies it: use ssh\. Its document is /,
  ];
  for (const pattern of said) assert.match(stdout, pattern);

  const told = JSON.parse((await here(['status', place.specs, '--json'])).stdout).withheldChanges;
  assert.deepEqual(
    told.map(({ code, failed, count, resources }: Group) => [code, failed, count, resources.length]),
    [
      ['InvalidAMIID.NotFound', true, 4, 3],
      ['policy', false, 2, 2],
    ],
  );
  const { url } = await served(here.database);
  const answer = await fetch(`${url}/v1/targets/aws-prod`, { headers: { authorization: 'Bearer viewer' } });
  assert.deepEqual(JSON.parse(await answer.text()).held.withheldChanges, told);
});

interface Listed {
  readonly document: string;
  readonly ttlMs: number;
  readonly since: number;
  readonly until: number;
  readonly expired: boolean;
  readonly endedAt?: number;
  readonly remaining?: object;
}

interface Group {
  readonly code: string;
  readonly failed: boolean;
  readonly count: number;
  readonly resources: readonly object[];
}

test('violations, the worst first, and orphans, with the commands that list and keep them', () => {
  const [verdict, body] = statusText(
    statusWith({
      violations: {
        resources: 7,
        policies: [
          { policy: 'open', effect: 'deny', mode: 'enforce', count: 3 },
          { policy: 'size', effect: 'approval', mode: 'enforce', count: 1 },
          { policy: 'images', effect: 'deny', mode: 'audit', count: 6 },
          { policy: 'labels', effect: 'warn', mode: 'audit', count: 2 },
        ],
      },
      orphans: 2,
    }),
    { now: until, paint: (_, text) => text },
  );
  assert.match(verdict, / · 7 resources violate policies · 2 orphans$/);
  assert.ok(
    body.endsWith(
      [
        '',
        'Violations of policies',
        '  enforced: 3 denied by open, 1 to be approved by size',
        '  in audit: 6 denied by images, 2 warned of by labels',
        '    setpoint inventory --violations',
        '',
        'Orphans',
        '  2 resources that Setpoint owns and no document wants',
        '    To list them: setpoint inventory --claim orphan',
        '    To delete them: setpoint prune',
        '    To keep them, restore their documents: git revert, or setpoint restore --as-of TIME',
      ].join('\n'),
    ),
    body,
  );
});
