import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { missing, refused, required } from '../errors.ts';
import { ID, target, wellFormed } from '../ids.ts';
import { checkedType, deviceXml } from '../instance.ts';
import { checkedUserData } from '../launch.ts';
import { checkedGroups, groupSet } from '../network-interface.ts';
import { flag, type Input, list, record, text } from '../query.ts';
import type { Instance } from '../records.ts';
import type { Region } from '../region.ts';
import { el, set, wrap } from '../xml.ts';

const flagValue = record({ Value: flag });

const textValue = record({ Value: text });

const attributeFields = {
  InstanceType: textValue,
  UserData: textValue,
  GroupId: list(text),
  DisableApiTermination: flagValue,
  DisableApiStop: flagValue,
  InstanceInitiatedShutdownBehavior: textValue,
  SourceDestCheck: flagValue,
  EbsOptimized: flagValue,
  BlockDeviceMapping: list(record({ DeviceName: text, Ebs: record({ VolumeId: text, DeleteOnTermination: flag }) })),
} as const;

type Attributes = Input<typeof attributeFields>;

interface Change {
  /** Only while the instance is stopped. */
  readonly stopped: boolean;
  readonly apply: (region: Region, instance: Instance, given: Attributes) => void;
}

const CHANGES: Readonly<Record<keyof Attributes, Change>> = {
  InstanceType: {
    stopped: true,
    apply: (region, instance, { InstanceType }) =>
      resize(region, instance, { type: checkedType(required(InstanceType?.Value, 'value')) }),
  },
  EbsOptimized: {
    stopped: true,
    apply: (region, instance, { EbsOptimized }) =>
      resize(region, instance, { ebsOptimized: EbsOptimized?.Value ?? false }),
  },
  UserData: {
    stopped: true,
    apply: (region, instance, { UserData }) =>
      settings(region, instance, { userData: checkedUserData(UserData?.Value) }),
  },
  DisableApiTermination: {
    stopped: false,
    apply: (region, instance, { DisableApiTermination }) =>
      protect(region, instance, { termination: DisableApiTermination?.Value ?? false }),
  },
  DisableApiStop: {
    stopped: false,
    apply: (region, instance, { DisableApiStop }) =>
      protect(region, instance, { stop: DisableApiStop?.Value ?? false }),
  },
  InstanceInitiatedShutdownBehavior: {
    stopped: false,
    apply: (region, instance, given) =>
      settings(region, instance, { onShutdown: required(given.InstanceInitiatedShutdownBehavior?.Value, 'value') }),
  },
  GroupId: { stopped: false, apply: (region, instance, { GroupId }) => setGroups(region, instance, GroupId ?? []) },
  SourceDestCheck: {
    stopped: false,
    apply: (region, instance, { SourceDestCheck }) =>
      setSourceDestCheck(region, instance, SourceDestCheck?.Value ?? true),
  },
  BlockDeviceMapping: {
    stopped: false,
    apply: (region, instance, { BlockDeviceMapping }) => setDeletions(region, instance, BlockDeviceMapping ?? []),
  },
};

export const instanceAttributeActions: readonly Action[] = [
  write({
    name: 'ModifyInstanceAttribute',
    fields: { ...dryRun, ...attributeFields, InstanceId: text, Attribute: text, Value: text },
    run: ({ region }, input) => {
      const instance = target(region.instances, ID.instance, input.InstanceId, 'instanceId');
      if (instance.power.state === 'terminated')
        throw refused('IncorrectInstanceState', `The instance '${instance.id}' is terminated.`);
      const attributes: Attributes = input.Attribute === undefined ? input : named(input.Attribute, input.Value);
      const given = attributeNames.filter((name) => attributes[name] !== undefined);
      if (given.length === 0) throw missing('attribute');
      if (given.length > 1)
        throw refused('InvalidParameterCombination', 'Fields for multiple attribute types specified');
      for (const name of given) {
        const { stopped, apply } = CHANGES[name];
        if (stopped && instance.power.state !== 'stopped')
          throw refused('IncorrectInstanceState', `The instance '${instance.id}' is not in the 'stopped' state.`);
        apply(region, instance, attributes);
      }
      return el('return', true);
    },
  }),
  read({
    name: 'DescribeInstanceAttribute',
    fields: { ...dryRun, InstanceId: text, Attribute: text },
    run: (context, input) => {
      const instance = context.region.instances.see(wellFormed(ID.instance, required(input.InstanceId, 'instanceId')));
      if (!instance) throw ID.instance.notFound([input.InstanceId ?? '']);
      return el('instanceId', instance.id) + attributeXml(context, instance, required(input.Attribute, 'attribute'));
    },
  }),
];

const attributeNames = Object.keys(CHANGES) as readonly (keyof Attributes)[]; // why: CHANGES has exactly these keys

/** The old form: one attribute by its name, and its value as text. */
function named(attribute: string, value: string | undefined): Attributes {
  switch (attribute) {
    case 'instanceType':
      return { InstanceType: { Value: value } };
    case 'userData':
      return { UserData: { Value: value } };
    case 'disableApiTermination':
      return { DisableApiTermination: { Value: value === 'true' } };
    case 'instanceInitiatedShutdownBehavior':
      return { InstanceInitiatedShutdownBehavior: { Value: value } };
    default:
      throw refused(
        'InvalidParameterValue',
        `Value (${attribute}) for parameter attribute is invalid. Unknown attribute.`,
      );
  }
}

function settings(region: Region, instance: Instance, changed: Partial<Instance['settings']>): void {
  region.instances.put({ ...instance, settings: { ...instance.settings, ...changed } });
}

function resize(region: Region, instance: Instance, changed: Partial<Instance['size']>): void {
  region.instances.put({ ...instance, size: { ...instance.size, ...changed } });
}

function protect(region: Region, instance: Instance, changed: Partial<Instance['settings']['protect']>): void {
  settings(region, instance, { protect: { ...instance.settings.protect, ...changed } });
}

function setGroups(region: Region, instance: Instance, ids: readonly string[]): void {
  const eni = region.interfaces.get(instance.parts.interfaceIds[0] ?? '');
  if (!eni) throw refused('IncorrectInstanceState', `The instance '${instance.id}' has no network interface.`);
  region.interfaces.put({ ...eni, groups: checkedGroups(region, instance.launch.place, ids) });
  region.instances.put({ ...instance });
}

function setSourceDestCheck(region: Region, instance: Instance, sourceDestCheck: boolean): void {
  const eni = region.interfaces.get(instance.parts.interfaceIds[0] ?? '');
  if (eni) region.interfaces.put({ ...eni, requester: { ...eni.requester, sourceDestCheck } });
}

function setDeletions(
  region: Region,
  instance: Instance,
  mappings: NonNullable<Attributes['BlockDeviceMapping']>,
): void {
  for (const { DeviceName, Ebs } of mappings) {
    const volume = instance.parts.volumeIds
      .flatMap((id) => region.volumes.get(id) ?? [])
      .find((each) => each.attachment?.device === DeviceName);
    if (!volume?.attachment)
      throw refused('InvalidInstanceAttributeValue', `No device is currently mapped at ${DeviceName}`);
    region.volumes.put({
      ...volume,
      attachment: {
        ...volume.attachment,
        deleteOnTermination: Ebs?.DeleteOnTermination ?? volume.attachment.deleteOnTermination,
      },
    });
  }
}

function attributeXml({ region }: Context, instance: Instance, attribute: string): string {
  const value = (inner: string | boolean | undefined): string => wrap(attribute, el('value', inner));
  const nic = region.interfaces.get(instance.parts.interfaceIds[0] ?? '');
  switch (attribute) {
    case 'instanceType':
      return value(instance.size.type);
    case 'userData':
      return instance.settings.userData === undefined ? '<userData/>' : value(instance.settings.userData);
    case 'disableApiTermination':
      return value(instance.settings.protect.termination);
    case 'disableApiStop':
      return value(instance.settings.protect.stop);
    case 'instanceInitiatedShutdownBehavior':
      return value(instance.settings.onShutdown);
    case 'ebsOptimized':
      return value(instance.size.ebsOptimized);
    case 'sourceDestCheck':
      return value(nic?.requester.sourceDestCheck ?? true);
    case 'rootDeviceName':
      return value(region.images.get(instance.launch.imageId)?.rootDevice);
    case 'groupSet':
      return groupSet(region, nic?.groups ?? []);
    case 'blockDeviceMapping':
      return set(
        'blockDeviceMapping',
        instance.parts.volumeIds.map((id) => deviceXml(region, id)),
      );
    default:
      throw refused(
        'InvalidParameterValue',
        `Value (${attribute}) for parameter attribute is invalid. Unknown attribute.`,
      );
  }
}
