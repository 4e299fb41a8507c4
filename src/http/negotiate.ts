/** A header that names alternatives with weights, as Accept and Accept-Encoding: https://www.rfc-editor.org/rfc/rfc9110#section-12.4.2 */
export type Weights = ReadonlyMap<string, number>;

/** At most 50 alternatives are read. */
const mostAlternatives = 50;

export function weightsIn(header: string): Weights {
  const weights = new Map<string, number>();
  for (const alternative of header.split(',').slice(0, mostAlternatives)) {
    const [name = '', ...parameters] = alternative.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : Number(quality);
    if (name !== '') weights.set(name, weight >= 0 && weight <= 1 ? weight : 0);
  }
  return weights;
}

/** True where Accept takes this media type. The most specific range counts. An absent or empty header takes all. */
export function takesType(accept: string | undefined, type: string): boolean {
  const weights = weightsIn(accept ?? '');
  if (weights.size === 0) return true;
  const [bare = ''] = type.toLowerCase().split(';');
  const weight = weights.get(bare.trim()) ?? weights.get(`${bare.split('/')[0]}/*`) ?? weights.get('*/*') ?? 0;
  return weight > 0;
}

/** The first of `offered` with the greatest weight in Accept-Encoding; undefined: the answer goes as it is. */
export function encodingFor<E extends string>(header: string | undefined, offered: readonly E[]): E | undefined {
  const weights = weightsIn(header ?? '');
  const weightOf = (encoding: string): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const asIs = weights.get('identity') ?? 0;
  const [best] = offered.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= asIs ? best : undefined;
}
