import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Action, Cause, ScopePlan } from '../../../src/core/action.ts';
import { summarise } from '../../../src/core/render/summary.ts';
import { desiredOf } from '../../support/fixtures.ts';

const document = { address: 'aws/1/eu-west-1/firewall-rule/web', file: 'web.yaml', line: 1 };

/** One atom of the document `web`. */
const atom = (port: string, cause: Cause): Action => ({
  verb: 'create',
  because: 'absent',
  kind: 'firewall-rule',
  address: `aws/1/eu-west-1/firewall-rule/core.web.ingress.tcp.${port}.10.0.0.0/8`,
  documents: [document],
  cause,
  desired: desiredOf('firewall-rule', {
    address: `aws/1/eu-west-1/firewall-rule/core.web.ingress.tcp.${port}.10.0.0.0/8`,
    name: '',
    attributes: {
      network: 'n',
      match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: port, peers: ['10.0.0.0/8'] },
      description: '',
    },
  }),
});

const planOf = (actions: readonly Action[]): ScopePlan => ({
  scope: 'aws/1/eu-west-1',
  actions,
  findings: [],
  calls: { observed: 0, predicted: 0 },
});

/** What `drift` keeps of a plan's actions. */
const onlyDrift = (actions: readonly Action[]): readonly Action[] => actions.filter(({ cause }) => cause === 'drift');

const rows: readonly (readonly [causes: readonly Cause[], drifted: number])[] = [
  [['drift'], 1],
  [['drift', 'drift'], 1],
  [['rollout'], 0],
  [['rollout', 'drift'], 1],
  [['drift', 'rollout'], 1],
  [['unknown', 'unknown'], 0],
];

for (const [causes, drifted] of rows)
  test(`atoms of one document, ${causes.join(' and ')}: ${drifted} drifted, in plan as in drift`, () => {
    const actions = causes.map((cause, index) => atom(`${80 + index}`, cause));
    assert.equal(summarise([planOf(actions)]).drifted, drifted);
    assert.equal(summarise([planOf(onlyDrift(actions))]).drifted, drifted);
  });
