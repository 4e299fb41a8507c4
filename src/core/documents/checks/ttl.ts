import { shareFrom } from '../../limits.ts';
import type { EstateDoc, NetworkDoc } from '../document.ts';
import { isResource, type ResourceDoc } from '../effective-terms.ts';
import { error, type Problem, warning } from '../problem.ts';
import { estateOf, groupsIn, type SpecSet } from '../spec-set.ts';
import type { Located } from '../tree.ts';
import { place } from './names.ts';

/**
 * A lifetime ends everything in the estate or the network that states it, so no document there may ask to stay.
 *
 *   in an estate or a network with a ttl, or with one itself | problem
 *   ---------------------------------------------------------+------------------------------------------------
 *   protect, deletionPolicy: retain                          | an error: it would stay
 *   a document in such a network without a ttl               | an error: it would end with the network, unsaid
 *   more objects with one end than the limits allow          | a warning: a person must approve the end
 */
export function* lifetimes(set: SpecSet): Iterable<Problem> {
  const estate = estateOf(set.documents);
  for (const document of set.documents.filter(isResource)) {
    const network = networkWithEnd(document, set);
    const ends = estate?.value.spec.ttl === undefined ? (network ?? document) : estate;
    yield* staying(document, ends);
    if (network !== undefined && document.value.spec.ttl === undefined) yield outlives(document, network);
  }
  if (estate !== undefined) yield* overLimit(estate, set);
}

/** Documents end together in an estate or a network with a lifetime, and with others of the same length. */
function* overLimit(estate: Located<EstateDoc>, set: SpecSet): Iterable<Problem> {
  const { deletes, share } = estate.value.spec.limits;
  const all = set.documents.filter(isResource);
  const holderOf = (one: Located<ResourceDoc>) =>
    estate.value.spec.ttl === undefined ? (networkWithEnd(one, set) ?? one) : estate;
  const groups = Map.groupBy(groupsIn(set), ({ network }) => network);
  const groupsOf = (network: string): number => new Set(groups.get(network)?.map(({ name }) => name)).size;
  const total = countOf(all, groupsOf);
  const ending = all.filter((one) => holderOf(one).value.spec.ttl !== undefined);
  for (const together of Map.groupBy(ending, (one) => holderOf(one).value.spec.ttl).values()) {
    const [first] = together;
    const count = countOf(together, groupsOf);
    const isShare = total >= shareFrom && count > total * share;
    if (first === undefined || (count <= deletes && !isShare)) continue;
    const limits = count > deletes ? `limits.deletes is ${deletes}` : `limits.share is ${share * 100}%`;
    const message = `at its end about ${count} objects are to be deleted, and ${limits}: Setpoint waits for an approval then`;
    const expected = `limits: { deletes: ${count}, share: 100% } in the Estate, or more`;
    yield warning('end-over-limit', holderOf(first).at(['spec', 'ttl']), message, { expected });
  }
}

/** The network of a document, where it has a lifetime. */
function networkWithEnd({ value: { spec } }: Located<ResourceDoc>, { networks }: SpecSet) {
  const network = 'network' in spec && spec.network !== undefined ? networks.get(spec.network) : undefined;
  return network?.value.spec.ttl === undefined ? undefined : network;
}

const outlives = (document: Located<ResourceDoc>, network: Located<NetworkDoc>): Problem =>
  error(
    'outlives-network',
    document.at(['metadata', 'name']),
    `the network of this ${document.value.kind} ends with its \`ttl\` at ${place(network.at(['spec', 'ttl']))}, and takes this along`,
    { expected: 'a `ttl` here, too' },
  );

/** `ends`: states the lifetime, if there is one. */
function* staying(document: Located<ResourceDoc>, ends: Located<ResourceDoc | EstateDoc>): Iterable<Problem> {
  const { protect, deletionPolicy } = document.value.spec;
  if (ends.value.spec.ttl === undefined) return;
  const at = place(ends.at(['spec', 'ttl']));
  if (protect) {
    const message = `\`protect\` forbids the end that \`ttl\` states at ${at}`;
    yield error('protected-end', document.at(['spec', 'protect']), message, { expected: 'one of the two' });
  }
  if (deletionPolicy === 'retain') {
    const message = `\`retain\` leaves an orphan at the end that \`ttl\` states at ${at}`;
    yield error('retained-end', document.at(['spec', 'deletionPolicy']), message, { expected: 'delete, or no ttl' });
  }
}

/** About so many, as limits count them: rules by document, and of a network its default rules, subnets and groups. */
function countOf(documents: readonly Located<ResourceDoc>[], groupsOf: (network: string) => number): number {
  return documents.reduce((sum, { value }) => {
    if (value.kind === 'Instance') return sum + value.spec.targets.length * value.spec.replicas;
    if (value.kind !== 'Network') return sum + 1;
    const own = value.spec.subnets.length + groupsOf(value.metadata.name);
    return sum + 1 + value.spec.targets.length * (2 + own);
  }, 0);
}
