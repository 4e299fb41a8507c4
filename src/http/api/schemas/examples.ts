import { z } from 'zod';

/** One example of an answer, made beside its schema and of its type. The document shows it, and a test holds it against the document. */
export const examples = z.registry<{ readonly example: z.core.$output }>();

/** Throws where nobody made one. */
export function exampleOf<S extends z.ZodType>(schema: S): z.output<S> {
  const found = examples.get(schema);
  if (found === undefined) throw new Error('this schema has no example');
  // why: the registry holds for each schema what the schema puts out
  return found.example as z.output<S>;
}

/** All examples tell of one estate, as its API answered: somebody changed a tag of web-0 by hand. */
export const story = {
  estate: 'acme',
  target: 'aws-prod',
  scope: 'aws/111122223333/eu-west-1',
  address: 'aws/111122223333/eu-west-1/instance/web-0',
  machine: 'i-0442ca4795f2a9585',
  revision: 'git:1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d',
  reconcile: 'daf960bd-ee50-4074-a9f3-aec1bc3cf41d',
  person: 'ada@acme.example',
  appliedAt: '2027-01-31T07:20:00.000Z',
  lookedAt: '2027-01-31T08:00:00.000Z',
  askedAt: '2027-01-31T08:00:40.000Z',
  nextAt: '2027-01-31T08:05:00.000Z',
  actionDigest: 'a014b81e02824523105a92d090e8801f67600315e12f18e5e974e6fa6a7b1a9c',
  digest: '59754106abb167f3d28f735295d24470b1d553843dcbd6786945a02eae39809b',
  held: 'its mode is plan: a person applies it, or approves it with: setpoint approve --reason "…"',
} as const;
