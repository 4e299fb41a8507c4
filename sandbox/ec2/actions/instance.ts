import { type Action, dryRun, read, write } from '../action.ts';
import { once } from '../client-token.ts';
import { missing, refused } from '../errors.ts';
import { ID, target } from '../ids.ts';
import {
  beginStart,
  beginStop,
  beginTerminate,
  instanceFilters,
  reservationsXml,
  reservationXml,
  stateXml,
} from '../instance.ts';
import { launch, launchFields, zoneNamed } from '../launch.ts';
import { type ListRules, listFields, page } from '../listing.ts';
import { flag, list, text } from '../query.ts';
import type { Instance } from '../records.ts';
import type { Region } from '../region.ts';
import { el, set } from '../xml.ts';

const listRules: ListRules = { ids: ID.instance, max: 1000, idsExcludePages: 'instancesSet' };

export const instanceActions: readonly Action[] = [
  read({
    name: 'DescribeInstances',
    fields: { ...listFields, ...dryRun, InstanceId: list(text) },
    run: (context, input) => {
      const { region } = context;
      const { records, nextToken } = page(context, input, input.InstanceId, {
        table: region.instances,
        filters: instanceFilters(region),
        rules: listRules,
      });
      return set('reservationSet', reservationsXml(region, records)) + el('nextToken', nextToken);
    },
  }),
  write({
    name: 'RunInstances',
    fields: launchFields,
    run: (context, input) => {
      const { region } = context;
      const asked = {
        action: 'RunInstances',
        token: input.ClientToken,
        zone: zoneNamed(region, input),
        asked: input,
      };
      const ids = once(context, asked, () => launch(context, input).map((instance) => instance.id));
      const instances = ids.flatMap((id) => region.instances.get(id) ?? []);
      const [first] = instances;
      // Since 2025 a token does not answer with terminated instances: https://github.com/boto/boto3/issues/4406
      if (!first || instances.every((instance) => instance.power.state === 'terminated')) {
        throw refused(
          'IdempotentInstanceTerminated',
          'The client token you have provided is associated with a terminated instance. Please use a different client token.',
        );
      }
      return reservationXml(region, first.launch.reservationId, instances);
    },
  }),
  write({
    name: 'StartInstances',
    fields: { ...dryRun, InstanceId: list(text) },
    run: ({ region, now }, input) => {
      const instances = named(region, input.InstanceId);
      for (const { id, power } of instances) {
        if (!['stopped', 'pending', 'running'].includes(power.state)) {
          throw refused(
            'IncorrectInstanceState',
            `The instance '${id}' is not in a state from which it can be started.`,
          );
        }
      }
      return changesXml(instances, (instance) =>
        instance.power.state === 'stopped' ? beginStart(region, instance, now) : instance,
      );
    },
  }),
  write({
    name: 'StopInstances',
    fields: { ...dryRun, InstanceId: list(text), Force: flag, Hibernate: flag, SkipOsShutdown: flag },
    run: ({ region, now }, input) => {
      const instances = named(region, input.InstanceId);
      for (const { id, power, settings } of instances) {
        if (!['running', 'stopping', 'stopped'].includes(power.state)) {
          throw refused(
            'IncorrectInstanceState',
            `The instance '${id}' is not in a state from which it can be stopped.`,
          );
        }
        if (settings.protect.stop)
          throw refused(
            'OperationNotPermitted',
            `The instance '${id}' may not be stopped. Modify its 'disableApiStop' instance attribute and try again.`,
          );
      }
      return changesXml(instances, (instance) =>
        instance.power.state === 'running' ? beginStop(region, instance, now) : instance,
      );
    },
  }),
  write({
    name: 'TerminateInstances',
    fields: { ...dryRun, InstanceId: list(text), Force: flag, SkipOsShutdown: flag },
    run: ({ region, now }, input) => {
      const instances = named(region, input.InstanceId);
      if (instances.length > MAX_TERMINATED)
        throw refused('InvalidParameterValue', `At most ${MAX_TERMINATED} instances may be terminated in one request`);
      const protectedOnes = instances.filter((instance) => instance.settings.protect.termination && alive(instance));
      const blockedZones = new Set(protectedOnes.map((instance) => instance.launch.place.zone));
      const xml = changesXml(
        instances.filter((instance) => !blockedZones.has(instance.launch.place.zone)),
        (instance) => (alive(instance) ? beginTerminate(region, instance, now) : instance),
      );
      const [first] = protectedOnes;
      if (first)
        throw refused(
          'OperationNotPermitted',
          `The instance '${first.id}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`,
        );
      return xml;
    },
  }),
];

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TerminateInstances.html, also for what protection blocks */
const MAX_TERMINATED = 1000;

function alive({ power }: Instance): boolean {
  return power.state !== 'terminated' && power.state !== 'shutting-down';
}

/** All of them or an error: one bad id and nothing happens. */
function named(region: Region, ids: readonly string[] | undefined): readonly Instance[] {
  if (!ids?.length) throw missing('InstanceId');
  const unique = [...new Set(ids)];
  const found = unique.map((id) => {
    try {
      return target(region.instances, ID.instance, id, 'InstanceId');
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('InvalidInstanceID.NotFound')) return undefined;
      throw error;
    }
  });
  const absent = unique.filter((_, i) => !found[i]);
  if (absent.length > 0) throw ID.instance.notFound(absent);
  return found.flatMap((instance) => instance ?? []);
}

function changesXml(instances: readonly Instance[], change: (instance: Instance) => Instance): string {
  return set(
    'instancesSet',
    instances.map(
      (instance) =>
        el('instanceId', instance.id) +
        stateXml('currentState', change(instance).power.state) +
        stateXml('previousState', instance.power.state),
    ),
  );
}
