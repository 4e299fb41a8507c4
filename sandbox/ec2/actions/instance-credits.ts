import { type Action, dryRun, read } from '../action.ts';
import { refused } from '../errors.ts';
import { ID } from '../ids.ts';
import { isBurstable, TYPES } from '../instance.ts';
import { listFields, page, passes } from '../listing.ts';
import { list, text } from '../query.ts';
import { noTags } from '../tags.ts';
import { el, set } from '../xml.ts';

/** CPU credits of burstable instance types. */
export const instanceCreditActions: readonly Action[] = [
  /**
   * Of machines named by id, whatever their option: one that is no burstable type is an error. Without ids only those with
   * `unlimited`: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceCreditSpecifications.html
   */
  read({
    name: 'DescribeInstanceCreditSpecifications',
    fields: { ...listFields, ...dryRun, InstanceId: list(text) },
    run: (context, input) => {
      const { records, nextToken } = page(context, input, input.InstanceId, {
        table: context.region.instances,
        filters: { 'instance-id': (instance) => [instance.id] },
        rules: { ids: ID.instance, max: 1000 },
      });
      const other = input.InstanceId && records.find(({ settings }) => settings.credits === undefined);
      if (other)
        throw refused('InvalidParameterValue', `The instance '${other.id}' is not a burstable performance instance.`);
      const shown = input.InstanceId ? records : records.filter(({ settings }) => settings.credits === 'unlimited');
      return (
        set(
          'instanceCreditSpecificationSet',
          shown.map(({ id, settings }) => el('instanceId', id) + el('cpuCredits', settings.credits)),
        ) + el('nextToken', nextToken)
      );
    },
  }),
  /** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html, as far as the sandbox knows types. */
  read({
    name: 'DescribeInstanceTypes',
    fields: { ...listFields, ...dryRun, InstanceType: list(text) },
    run: (_context, input) => {
      const unknown = (input.InstanceType ?? []).filter((type) => !TYPES.includes(type));
      if (unknown.length > 0)
        throw refused(
          'InvalidInstanceType',
          `The following supplied instance types do not exist: [${unknown.join(', ')}]`,
        );
      const test = passes<{ readonly id: string; readonly tags: ReadonlyMap<string, string> }>(input.Filter ?? [], {
        'instance-type': ({ id }) => [id],
        'burstable-performance-supported': ({ id }) => [String(isBurstable(id))],
        'bare-metal': ({ id }) => [String(id.endsWith('.metal'))],
      });
      const asked = (input.InstanceType ?? TYPES).filter((type) => test({ id: type, tags: noTags }));
      return set(
        'instanceTypeSet',
        asked.map(
          (type) =>
            el('instanceType', type) +
            el('bareMetal', type.endsWith('.metal')) +
            el('burstablePerformanceSupported', isBurstable(type)),
        ),
      );
    },
  }),
];
