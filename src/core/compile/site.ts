import { type Criticality, criticalityOf, type WithCriticality } from '../criticality.ts';
import { type DocumentRef, type Mode, strictest } from '../desired.ts';
import type { Document, EstateDoc, TargetDoc } from '../documents/document.ts';
import type { ResourceDoc } from '../documents/effective-terms.ts';
import { ofKind } from '../documents/spec-set.ts';
import type { Located, Position } from '../documents/tree.ts';
import { kindNames } from '../kinds/kinds.ts';
import { type RemediationSource, type Remediations, remediationsBy } from '../remediation.ts';
import type { Address, Kind } from '../resource.ts';
import type { Dialect, Place } from './dialect.ts';

/** One target, with its cloud's spelling: every kind is compiled against it. */
export interface Site {
  readonly target: TargetDoc;
  readonly located: Located<TargetDoc>;
  readonly dialect: Dialect;
  readonly place: Place;
  /** The place of its region in the specs. */
  readonly regionAt: Position;
  readonly estate: EstateDoc;
  /** Inherited by its documents: of the target, then of the estate. */
  readonly remediation: readonly RemediationSource[];
  /** By these: of documents that say nothing themselves. */
  readonly inheritedRemediation: Remediations;
  readonly today: string;
  /** Where groups are no objects: the network tags and service accounts that documents state for them, by `<network>.<group>`. */
  readonly groupNames: ReadonlyMap<string, string>;
  /** Address blocks of subnets, by `<network>.<subnet>`. */
  readonly blocks: ReadonlyMap<string, string>;
}

interface SiteInput {
  readonly estate: EstateDoc;
  readonly documents: readonly Located<Document>[];
  readonly today: string;
}

export function siteOf(target: Located<TargetDoc>, dialect: Dialect, { estate, documents, today }: SiteInput): Site {
  const { value } = target;
  const regionAt = target.at(['spec', 'region']);
  const here = value.metadata.name;
  const remediation = [target, ...ofKind(documents, 'Estate')].map(remediationSource);
  const networks = ofKind(documents, 'Network').filter(({ value: { spec } }) => spec.targets.includes(here));
  return {
    target: value,
    located: target,
    dialect,
    place: placeOf(value),
    regionAt,
    estate,
    remediation,
    inheritedRemediation: remediationsBy(remediation, kindNames),
    today,
    groupNames: new Map([
      ...networks.flatMap(({ value: { metadata, spec } }) =>
        spec.groups.flatMap(({ name, adopt }) =>
          adopt?.[here] === undefined ? [] : [[`${metadata.name}.${name}`, adopt[here]] as const],
        ),
      ),
      ...ofKind(documents, 'Group').flatMap(({ value: { metadata, spec } }) => {
        const name = spec.names?.[here] ?? metadata.adopt?.[here];
        return name === undefined ? [] : [[`${spec.network}.${metadata.name}`, name] as const];
      }),
    ]),
    blocks: new Map(
      networks.flatMap(({ value: { metadata, spec } }) =>
        spec.subnets
          .filter((subnet) => subnet.target === undefined || subnet.target === here)
          .map(({ name, cidr }) => [`${metadata.name}.${name}`, cidr] as const),
      ),
    ),
  };
}

/** The stated values of one document, with their places. */
export function remediationSource(document: Located<ResourceDoc | EstateDoc | TargetDoc>): RemediationSource {
  const { kind, metadata, spec } = document.value;
  return {
    document: `${kind} ${metadata.name}`,
    stated: spec.remediation,
    at: (path) => document.at(['spec', 'remediation', ...path]),
  };
}

export function placeOf({ spec: { account, region, zone, resourceGroup } }: TargetDoc): Place {
  return { account, region, zone, resourceGroup };
}

export const addressAt = ({ dialect, place }: Site, kind: Kind, name: string): Address =>
  `${dialect.names.prefix(kind, place)}/${kind}/${name}`;

/** Resource, target, estate: the strictest of those that are set. */
export const modeAt = ({ target, estate }: Site, own: Mode | undefined): Mode =>
  strictest([own, target.spec.mode, estate.spec.mode]);

/** The document's own, else its target's. */
export const criticalityAt = ({ target }: Pick<Site, 'target'>, own: Criticality | undefined): WithCriticality =>
  criticalityOf([{ criticality: own ?? target.spec.criticality }]);

export function documentRef(document: Located<Document>, address: Address): DocumentRef {
  const { file, line } = document.at();
  const { owner } = document.value.metadata;
  return { address, file, line, ...(owner === undefined ? {} : { owner }) };
}
