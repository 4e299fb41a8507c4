import { dialect } from '../../providers/aws/dialect.ts';
import { type CompiledScope, compile } from '../../src/core/compile/compile.ts';
import type { Desired } from '../../src/core/desired.ts';
import type { Document } from '../../src/core/documents/document.ts';
import { ofKind } from '../../src/core/documents/spec-set.ts';
import type { Located } from '../../src/core/documents/tree.ts';
import { rulesOf } from '../../src/core/kinds/kinds.ts';
import type { Applied, Settled } from '../../src/core/knowledge.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { PlanInput } from '../../src/core/plan/plan-input.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import type { SpecFile } from '../../src/source/tree.ts';

const header = 'apiVersion: setpoint.dev/v1\n';
const perNetwork = { subnets: 9, groups: 4, rules: 28, instances: 50 };

/** Specs of `networks` networks, about 100 resources each, as one scope's plan input in which 5% differ. */
export const planInput = (networks: number): PlanInput => toInput(compiledNetworks(networks).scope.wanted);

/** The same specs compiled: one scope and its documents, those in `more` among them. */
export function compiledNetworks(
  networks: number,
  more: readonly SpecFile[] = [],
): { readonly scope: CompiledScope; readonly documents: readonly Located<Document>[] } {
  const files = Array.from({ length: networks }, (_, i) => ({ path: `net-${i}.yaml`, text: networkText(i) }));
  const { documents, problems } = parseSpecs(
    [{ path: 'estate.yaml', text: estateText }, ...files, ...more],
    '2026-01-01',
  );
  const [estate] = ofKind(documents, 'Estate');
  const wrong = problems.find(({ severity }) => severity === 'error');
  if (estate === undefined || wrong !== undefined) throw new Error(`the generated specs are wrong: ${wrong?.message}`);
  const hashes = { userData: () => 'f00d'.repeat(16), access: () => '' };
  const [scope] = compile({
    estate: estate.value,
    documents,
    dialects: { aws: dialect },
    hashes,
    today: '2026-01-01',
  }).scopes;
  if (scope === undefined) throw new Error('there is one scope');
  return { scope, documents };
}

const estateText = `${header}kind: Estate\nmetadata: { name: acme }\nspec: {}\n---\n${header}kind: Target\nmetadata: { name: prod }\nspec: { provider: aws, account: "111122223333", region: eu-west-1 }\n`;

function networkText(i: number): string {
  const block = `10.${(i >> 8) & 255}.${i & 255}`;
  const subnets = Array.from({ length: perNetwork.subnets }, (_, n) => `{ name: s${n}, cidr: ${block}.${cutOf(n)} }`);
  const documents = [
    `kind: Network\nmetadata: { name: net-${i}, labels: { team: platform, stage: production } }\nspec: { targets: [prod], cidr: ${block}.0/24, subnets: [${subnets.join(', ')}] }`,
    ...Array.from({ length: perNetwork.rules }, (_, n) => ruleText(i, n)),
    `kind: Instance\nmetadata: { name: web-${i}, labels: { team: platform, tier: web } }\nspec: { targets: [prod], network: net-${i}, subnet: s0, groups: [g0], image: ami-0abc, size: t3.small, replicas: ${perNetwork.instances}, disk: { size: 20, type: gp3 } }`,
  ];
  return documents.map((text) => header + text).join('\n---\n');
}

/** All machines are in the first subnet: 64 addresses are enough for it, and 16 for each of the others. */
const cutOf = (n: number): string => (n === 0 ? '0/26' : `${48 + n * 16}/28`);

const ruleText = (i: number, n: number): string =>
  `kind: FirewallRule\nmetadata: { name: rule-${i}-${n} }\nspec: { network: net-${i}, protocol: tcp, ports: [${1000 + n}], group: g${n % perNetwork.groups}, peers: { cidrs: [192.168.${n}.0/24] }, description: rule ${n} }`;

function toInput(wanted: PlanInput['wanted']): PlanInput {
  const ids = new Map(wanted.desired.map(({ address }, i) => [address, `id-${i.toString(16).padStart(12, '0')}`]));
  const idOf = (ref: string): string => ids.get(ref) ?? ref;
  const resources = wanted.desired.flatMap((one, i) => observed(one, i, idOf));
  const settled = new Map(
    wanted.desired.map(({ kind, address, terms }): [string, Settled] => {
      const { deletionPolicy, protect } = terms;
      return [idOf(address), { address, kind, lastWriteAt: 0, terms: { deletionPolicy, protect, storeOnly: false } }];
    }),
  );
  const applied = new Map(
    wanted.desired.map(({ address, attributes }): [string, Applied] => [address, { attributes, generation: 1 }]),
  );
  return {
    wanted,
    observation: { scope: 'aws/111122223333/eu-west-1', at: 0, resources, gaps: [], pending: [], calls: 0 },
    knowledge: { estate: 'acme', store: 's1', settled, pending: [], applied, unstuck: new Map() },
    dialect,
  };
}

/** Of 100 resources 95 are as wanted, 2 carry another label or description, 2 are gone, 1 has a stranger beside it. */
function observed(one: Desired, i: number, idOf: (ref: string) => string): readonly Observed[] {
  const { kind, address, name, attributes, terms } = one;
  if (i % 100 < 2) return [];
  const real = rulesOf(kind).mapRefs(attributes, idOf);
  const labelled = 'labels' in real ? { ...real, labels: { ...real.labels, Name: name } } : real;
  const drifted =
    i % 100 < 4
      ? {
          ...labelled,
          ...('labels' in labelled ? { labels: { ...labelled.labels, team: 'other' } } : { description: 'other' }),
        }
      : labelled;
  const container = kind === 'firewall-rule' && 'group' in real ? real.group : undefined;
  const signs =
    container === undefined
      ? { mark: { estate: 'acme', store: 's1', address, deletionPolicy: terms.deletionPolicy } }
      : { container };
  const own: Observed = { kind, id: idOf(address), name, attributes: drifted, signs, condition: { state: 'ready' } };
  return i % 100 === 4 && kind !== 'firewall-rule' ? [own, { ...own, id: `${own.id}-stranger`, signs: {} }] : [own];
}
