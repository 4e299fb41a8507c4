import type {
  GroupAttributes,
  InstanceAttributes,
  NetworkAttributes,
  RuleAttributes,
  SubnetAttributes,
} from './attributes.ts';

/** Clouds we speak to; `memory` is the reference provider. */
export type Cloud = 'aws' | 'gcp' | 'azure' | 'memory';

/** What a provider lists, locks and limits together, as text: `aws/111122223333/eu-west-1`. */
export type ScopeKey = string;

/** Our stable name: `aws/111122223333/eu-west-1/subnet/core.app`. See the word list in the design. */
export type Address = string;

/** The cloud's own name for an object. Never parsed outside its provider. */
export type CloudId = string;

/** Points at another resource: its `Address` where it is ours, else the raw `CloudId` that the cloud reported. */
export type Ref = string;

/** User labels (tags). Owned per key: a key that nobody stated is not ours. */
export type Labels = Readonly<Record<string, string>>;

/**
 * What we own on each kind, in one normalised form for desired and observed. Adding a kind starts with one line here.
 * In a desired resource an absent key is unowned: neither compared nor changed. Nested objects are owned per key.
 */
export interface Attributes {
  readonly network: NetworkAttributes;
  readonly subnet: SubnetAttributes;
  readonly group: GroupAttributes;
  readonly 'firewall-rule': RuleAttributes;
  readonly instance: InstanceAttributes;
}
export type Kind = keyof Attributes;
