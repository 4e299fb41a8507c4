import { type Action, dryRun, read } from '../action.ts';
import { refused } from '../errors.ts';
import { ID } from '../ids.ts';
import { TYPES, zonesOffering } from '../instance.ts';
import { describe, filterField, listFields, passes } from '../listing.ts';
import { flag, list, text } from '../query.ts';
import type { Image } from '../records.ts';
import { tagSet } from '../tags.ts';
import { el, set, wrap } from '../xml.ts';
import { zoneId } from './subnet.ts';

/** The things that are simply there in a region: zones, images, types of machines, account attributes. */
export const surroundingActions: readonly Action[] = [
  read({
    name: 'DescribeAvailabilityZones',
    fields: { ...filterField, ...dryRun, ZoneName: list(text), ZoneId: list(text), AllAvailabilityZones: flag },
    run: ({ region }, input) => {
      const unknown = (input.ZoneName ?? []).find((zone) => !region.zones.includes(zone));
      if (unknown) throw refused('InvalidParameterValue', `Invalid availability zone: [${unknown}]`);
      const test = passes<{ readonly id: string; readonly tags: ReadonlyMap<string, string> }>(input.Filter ?? [], {
        'zone-name': (zone) => [zone.id],
        'zone-id': (zone) => [zoneId(region, zone.id)],
        'region-name': () => [region.name],
        state: () => ['available'],
        'zone-type': () => ['availability-zone'],
        'opt-in-status': () => ['opt-in-not-required'],
      });
      const asked = (zone: string): boolean =>
        (input.ZoneName?.includes(zone) ?? true) && (input.ZoneId?.includes(zoneId(region, zone)) ?? true);
      const zones = region.zones.filter((zone) => asked(zone) && test({ id: zone, tags: new Map() }));
      return set(
        'availabilityZoneInfo',
        zones.map((zone) => zoneXml(region.name, zone, zoneId(region, zone))),
      );
    },
  }),
  // Deprecated images: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ami-deprecate.html
  read({
    name: 'DescribeImages',
    fields: {
      ...listFields,
      ...dryRun,
      ImageId: list(text),
      Owner: list(text),
      ExecutableBy: list(text),
      IncludeDeprecated: flag,
    },
    run: (context, input) => {
      const { account } = context.region;
      const owners = input.Owner && new Set(input.Owner.map((owner) => (owner === 'self' ? account : owner)));
      const showsDeprecated = input.IncludeDeprecated === true || (input.ImageId ?? []).length > 0;
      return describe(context, input, input.ImageId, {
        shows: ({ ownerId, ownerAlias, deprecatedAt = Number.POSITIVE_INFINITY }) =>
          (owners === undefined || owners.has(ownerId) || owners.has(ownerAlias ?? ownerId)) &&
          (showsDeprecated || ownerId === account || deprecatedAt > context.now),
        set: 'imagesSet',
        table: context.region.images,
        rules: { ids: ID.image, max: 1000 },
        filters: {
          'image-id': (image) => [image.id],
          name: (image) => [image.name],
          architecture: (image) => [image.architecture],
          'owner-id': (image) => [image.ownerId],
          'owner-alias': (image) => [image.ownerAlias],
          state: () => ['available'],
          'is-public': () => ['true'],
          'root-device-type': () => ['ebs'],
          'virtualization-type': () => ['hvm'],
        },
        render: imageXml,
      });
    },
  }),
  read({
    name: 'DescribeInstanceTypeOfferings',
    fields: { ...listFields, ...dryRun, LocationType: text },
    run: ({ region }, input) => {
      const locationType = input.LocationType ?? 'region';
      if (locationType !== 'region' && locationType !== 'availability-zone')
        throw refused('InvalidParameterValue', `The sandbox offers types by region and availability-zone.`);
      const test = passes<Offering>(input.Filter ?? [], {
        'instance-type': ({ type }) => [type],
        location: ({ location }) => [location],
      });
      const offerings = TYPES.flatMap((type) => {
        const zones = zonesOffering(type, region.zones);
        return (locationType === 'region' ? [region.name] : zones).map((location) => ({
          id: type,
          type,
          location,
          tags: noTags,
        }));
      });
      return set(
        'instanceTypeOfferingSet',
        offerings
          .filter(test)
          .map(
            ({ type, location }) =>
              el('instanceType', type) + el('locationType', locationType) + el('location', location),
          ),
      );
    },
  }),
  read({
    name: 'DescribeAccountAttributes',
    fields: { ...dryRun, AttributeName: list(text) },
    run: ({ region }, input) => {
      const defaultVpc = [...region.vpcs.values()].find((vpc) => vpc.isDefault)?.id ?? 'none';
      const values: Readonly<Record<string, string>> = {
        'supported-platforms': 'VPC',
        'default-vpc': defaultVpc,
        'vpc-max-security-groups-per-interface': String(region.quotas.groupsPerInterface),
        'max-instances': String(region.quotas.instances),
      };
      const names = input.AttributeName?.length ? input.AttributeName : Object.keys(values);
      const unknown = names.find((name) => !Object.hasOwn(values, name));
      if (unknown) throw refused('InvalidParameterValue', `Value (${unknown}) for parameter attributeName is invalid.`);
      return set(
        'accountAttributeSet',
        names.map((name) => el('attributeName', name) + set('attributeValueSet', [el('attributeValue', values[name])])),
      );
    },
  }),
  read({
    name: 'DescribeRegions',
    fields: { ...filterField, ...dryRun, RegionName: list(text), AllRegions: flag },
    run: ({ region }, input) => {
      const names = (input.RegionName ?? [region.name]).filter((name) => name === region.name);
      return set(
        'regionInfo',
        names.map(
          (name) =>
            el('regionName', name) +
            el('regionEndpoint', `ec2.${name}.amazonaws.com`) +
            el('optInStatus', 'opt-in-not-required'),
        ),
      );
    },
  }),
];

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeOffering.html */
interface Offering {
  readonly id: string;
  readonly type: string;
  readonly location: string;
  readonly tags: ReadonlyMap<string, string>;
}

const noTags: ReadonlyMap<string, string> = new Map();

function zoneXml(regionName: string, zone: string, id: string): string {
  return (
    el('zoneName', zone) +
    el('zoneState', 'available') +
    el('regionName', regionName) +
    '<messageSet/>' +
    el('zoneId', id) +
    el('groupName', regionName) +
    el('networkBorderGroup', regionName) +
    el('zoneType', 'availability-zone') +
    el('optInStatus', 'opt-in-not-required')
  );
}

const deprecationTime = ({ deprecatedAt }: Image): string | undefined =>
  deprecatedAt === undefined ? undefined : new Date(deprecatedAt).toISOString();

function imageXml(image: Image): string {
  const ebs =
    el('snapshotId', `snap-${image.id.slice(4)}`) +
    el('volumeSize', image.rootSize) +
    el('volumeType', 'gp3') +
    el('deleteOnTermination', true) +
    el('encrypted', false);
  return (
    el('imageId', image.id) +
    el('imageLocation', `${image.ownerAlias ?? image.ownerId}/${image.name}`) +
    el('imageState', 'available') +
    el('imageOwnerId', image.ownerId) +
    el('imageOwnerAlias', image.ownerAlias) +
    el('isPublic', true) +
    el('architecture', image.architecture) +
    el('imageType', 'machine') +
    el('name', image.name) +
    el('rootDeviceType', 'ebs') +
    el('rootDeviceName', image.rootDevice) +
    set('blockDeviceMapping', [el('deviceName', image.rootDevice) + wrap('ebs', ebs)]) +
    el('virtualizationType', 'hvm') +
    el('hypervisor', 'xen') +
    el('enaSupport', true) +
    el('creationDate', new Date(image.createdAt).toISOString()) +
    el('deprecationTime', deprecationTime(image)) +
    el('platformDetails', 'Linux/UNIX') +
    tagSet(image.tags)
  );
}
