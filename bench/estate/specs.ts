import { createHash } from 'node:crypto';
import { dialect as aws } from '../../providers/aws/dialect.ts';
import { type CompiledScope, compile } from '../../src/core/compile/compile.ts';
import type { Dialect } from '../../src/core/compile/dialect.ts';
import { ofKind } from '../../src/core/documents/spec-set.ts';
import type { Guards } from '../../src/core/guards.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import type { SpecFile } from '../../src/source/tree.ts';

/** The size of an estate. Each network has so many of everything, and its own group of all instances besides. */
export interface Shape {
  readonly networks: number;
  /** At most 250, as each is a /24 of its network's /16. */
  readonly subnets: number;
  readonly groups: number;
  readonly rulesPerGroup: number;
  readonly machines: Machines;
  /** Networks have a gateway. */
  readonly internet?: boolean;
}

/** Instance documents, spread over the groups and subnets, each of so many equal instances. */
export interface Machines {
  readonly documents: number;
  readonly replicas: number;
  /** With a disk described and user data given. */
  readonly furnished?: boolean;
}

export interface Place {
  readonly account: string;
  readonly region: string;
  readonly endpoint: string;
  readonly image: string;
}

/** A script that every machine runs at first boot, beside the specs. */
export const bootScript = { path: 'boot.sh', text: '#!/bin/sh\necho ready > /var/run/ready\n' } as const;

/** An estate of this shape: one file for the target, one a network, one file a network's rules. */
export function specFiles(shape: Shape, place: Place): readonly SpecFile[] {
  const networks = Array.from({ length: shape.networks }, (_, n) => [
    { path: `network-${n}.yaml`, text: joined([networkText(shape, n), ...machineTexts(shape, place, n)]) },
    ...rulesFile(shape, n),
  ]);
  return [{ path: 'estate.yaml', text: estateText(place) }, ...networks.flat()];
}

const estateText = ({ account, region, endpoint }: Place): string =>
  joined([
    'kind: Estate\nmetadata: { name: bench }\nspec: { limits: { creates: 1000000 } }',
    `kind: Target\nmetadata: { name: prod }\nspec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`,
  ]);

function networkText({ subnets, internet = false }: Shape, n: number): string {
  const blocks = Array.from({ length: subnets }, (_, s) => `    - { name: s${s}, cidr: 10.${n}.${s}.0/24 }`);
  return `kind: Network
metadata: { name: net-${n}, labels: { team: platform } }
spec:
  targets: [prod]
  cidr: 10.${n}.0.0/16
  internet: ${internet}
  subnets:
${blocks.join('\n')}`;
}

function machineTexts({ machines, groups, subnets }: Shape, { image }: Place, n: number): readonly string[] {
  return Array.from({ length: machines.documents }, (_, i) => {
    return `kind: Instance
metadata: { name: web-${n}-${i}, labels: { tier: web } }
spec:
  targets: [prod]
  network: net-${n}
  subnet: s${i % subnets}
  groups: [${groupName(i % groups)}]
  image: ${image}
  size: t3.small
  replicas: ${machines.replicas}${machines.furnished ? furniture : ''}`;
  });
}

const furniture = `
  disk: { size: 20, type: gp3, encrypted: true }
  userData: { file: ${bootScript.path} }`;

/** One document a rule, and one rule a document. */
function rulesFile({ groups, rulesPerGroup }: Shape, n: number): readonly SpecFile[] {
  const texts = Array.from({ length: groups }, (_, g) =>
    Array.from({ length: rulesPerGroup }, (_, r) => ruleText(n, g, r)),
  ).flat();
  return texts.length === 0 ? [] : [{ path: `rules-${n}.yaml`, text: joined(texts) }];
}

function ruleText(n: number, g: number, r: number): string {
  return `kind: FirewallRule
metadata: { name: rule-${n}-${g}-${r} }
spec: { network: net-${n}, group: ${groupName(g)}, protocol: tcp, ports: [${8000 + r}], peers: { cidrs: [192.168.${r}.0/24] }, description: port ${8000 + r} }`;
}

const groupName = (g: number): string => `g${g}`;

const joined = (documents: readonly string[]): string =>
  documents.map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`).join('---\n');

export const today = '2027-01-31';

export interface CompiledSpecs extends CompiledScope {
  readonly guards: Guards;
}

/** The one scope that these specs speak of, compiled as the command line does it. Throws where they are wrong. */
export function compiled(files: readonly SpecFile[], dialect: Dialect = aws): CompiledSpecs {
  const { documents, problems } = parseSpecs(files, today);
  const [estate] = ofKind(documents, 'Estate');
  const wrong = problems.find(({ severity }) => severity === 'error');
  if (estate === undefined || wrong !== undefined) throw new Error(`the generated specs are wrong: ${wrong?.message}`);
  const { scopes, guards } = compile({
    estate: estate.value,
    documents,
    dialects: { [dialect.cloud]: dialect },
    hashes: { userData: () => bootHash, access: () => '' },
    today,
  });
  const [scope] = scopes;
  if (scope === undefined || scopes.length > 1) throw new Error(`there are ${scopes.length} scopes and not one`);
  return { ...scope, guards };
}

const bootHash = createHash('sha256').update(bootScript.text).digest('hex');
