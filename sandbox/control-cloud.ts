import type { Control } from './control.ts';
import { object, optional } from './json.ts';
import { oneOf, scalar } from './json-scalar.ts';
import type { Verdict } from './packet.ts';

/** What a cloud makes of the verbs that each cloud answers in its own form. */
export interface CloudVerbs {
  readonly estate: (control: Control, body: unknown) => void;
  readonly packet: (control: Control, body: unknown) => Verdict;
}

const string = scalar('string');

const packet = { from: string, to: string, protocol: string, port: optional(scalar('number')) };

const ec2Question = object({ account: string, region: string, ...packet });

const computeQuestion = object({ project: string, ...packet });

const armQuestion = object({ subscription: string, ...packet });

const CLOUDS = {
  /** Estates: `ec2/estate-form.ts`. Packets: {account, region, from, to, protocol, port} */
  aws: {
    estate: ({ ec2 }, body) => ec2.load(body),
    packet: ({ ec2 }, body) => {
      const { account, region, ...question } = ec2Question(body, '');
      return ec2.packet({ account, region }, question);
    },
  },
  /** Estates: `compute/estate-form.ts`. Packets: {project, from, to, protocol, port} */
  gcp: {
    estate: ({ compute }, body) => compute.load(body),
    packet: ({ compute }, body) => {
      const { project, ...question } = computeQuestion(body, '');
      return compute.packet(project, question);
    },
  },
  /** Estates: `arm/estate-form.ts`. Packets: {subscription, from, to, protocol, port}, machines by their ids */
  azure: {
    estate: ({ arm }, body) => arm.load(body),
    packet: ({ arm }, body) => {
      const { subscription, ...question } = armQuestion(body, '');
      return arm.packet(subscription, question);
    },
  },
} satisfies Readonly<Record<string, CloudVerbs>>;

const cloudName = optional(oneOf(...(Object.keys(CLOUDS) as readonly (keyof typeof CLOUDS)[]))); // why: CLOUDS has exactly these keys

/** The cloud that a body names in `cloud`, aws if none, and the rest of the body. */
export function addressed(body: unknown): { readonly cloud: CloudVerbs; readonly rest: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { cloud: CLOUDS.aws, rest: body };
  const { cloud, ...rest } = { cloud: undefined, ...body };
  return { cloud: CLOUDS[cloudName(cloud, 'cloud') ?? 'aws'], rest };
}

/** One estate, or a list of at least one. */
export function loadEstates(control: Control, document: unknown): void {
  const documents: readonly unknown[] = Array.isArray(document) && document.length > 0 ? document : [document];
  for (const each of documents) {
    const { cloud, rest } = addressed(each);
    cloud.estate(control, rest);
  }
}
