import { conditionNotMet, invalid, refused } from '../errors.ts';
import {
  checkedLabels,
  checkedMetadata,
  checkedTags,
  metadataFingerprint,
  metadataMessage,
  serviceAccountMessage,
  tagsMessage,
} from '../instance.ts';
import { checkArchitecture, machineTypeOf, serviceAccountsOf } from '../instance-insert.ts';
import { targetInstance } from '../instance-power.ts';
import { mapOf, message, text } from '../message.ts';
import { type Asked, type Context, type Method, write } from '../method.ts';
import { begin } from '../operation.ts';
import type { Project } from '../project.ts';
import type { Instance, InstanceSettings, Marks } from '../records.ts';
import { fingerprint } from '../resource.ts';

/** The instance after a request. Throws a refusal that needs no operation. */
type Change = (instance: Instance, asked: Asked, project: Project) => Instance;

const labelsRequest = message({ labels: mapOf(text), labelFingerprint: text });

const machineTypeRequest = message({ machineType: text });

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances: one method a field, each begins an operation. */
export const instanceChangeMethods: readonly Method[] = [
  change('setLabels', (instance, { body }) => {
    const { labels, labelFingerprint } = labelsRequest(body ?? {}, 'resource');
    if (labelFingerprint !== fingerprint(instance.marks.labels))
      throw conditionNotMet('Labels fingerprint either invalid or resource labels have changed');
    return marked(instance, { labels: checkedLabels(labels, 'resource.labels') });
  }),
  change('setTags', (instance, { body }) => {
    const given = tagsMessage(body ?? {}, 'resource');
    if (given.fingerprint !== fingerprint(instance.marks.tags)) throw conditionNotMet();
    return marked(instance, { tags: checkedTags(given.items, 'resource.items') });
  }),
  change('setMetadata', (instance, { body }) => {
    const given = metadataMessage(body ?? {}, 'resource');
    if (given.fingerprint !== undefined && given.fingerprint !== metadataFingerprint(instance.marks))
      throw conditionNotMet();
    return marked(instance, { metadata: checkedMetadata(given, 'resource') });
  }),
  change('setMachineType', (instance, { body }, project) => {
    mustBeStopped(instance, 'machine type');
    const { machineType } = machineTypeRequest(body ?? {}, 'resource');
    const type = machineTypeOf({ project, scope: instance.scope }, machineType, 'resource.machineType');
    checkArchitecture(type, project.disks.get(instance.disks[0]?.diskId ?? '')?.source?.architecture);
    const hardware = { ...instance.hardware, machineType: type.name, cpuPlatform: type.chip.platform };
    return { ...instance, hardware };
  }),
  change('setServiceAccount', (instance, { body }, project) => {
    mustBeStopped(instance, 'service account');
    const account = serviceAccountMessage(body ?? {}, 'resource');
    const none = !account.email && !account.scopes?.length;
    return settled(instance, { serviceAccounts: serviceAccountsOf(project, none ? [] : [account], 'resource') });
  }),
  {
    ...change(
      'setDeletionProtection',
      (instance, { query }) => {
        const { deletionProtection = 'true' } = query;
        if (!['true', 'false'].includes(deletionProtection))
          throw invalid('deletionProtection', deletionProtection, 'Must be true or false.');
        return settled(instance, { deletionProtection: deletionProtection === 'true' });
      },
      ['deletionProtection'],
    ),
    path: 'zones/{zone}/instances/{resource}/setDeletionProtection',
  },
];

/**
 * Google's page says "stop the VM" first and has the words for the service account; for the machine type it prints none.
 * https://docs.cloud.google.com/compute/docs/instances/change-service-account
 */
function mustBeStopped({ power }: Instance, what: string): void {
  if (power.status !== 'TERMINATED')
    throw refused('badRequest', `The instance must be stopped before the ${what} can be changed.`);
}

function marked(instance: Instance, changed: Partial<Marks>): Instance {
  return { ...instance, marks: { ...instance.marks, ...changed } };
}

function settled(instance: Instance, changed: Partial<InstanceSettings>): Instance {
  return { ...instance, settings: { ...instance.settings, ...changed } };
}

function change(name: string, of: Change, query: readonly string[] = []): Method {
  return write({
    id: `compute.instances.${name}`,
    verb: 'POST',
    path: `zones/{zone}/instances/{instance}/${name}`,
    query,
    run: (context: Context, asked) => {
      const { project } = context;
      const instance = targetInstance(context, asked);
      const changed = of(instance, asked, project);
      return begin(context, {
        type: name,
        target: instance,
        ms: project.durations.change,
        finish: () => project.instances.put(changed),
      });
    },
  });
}
