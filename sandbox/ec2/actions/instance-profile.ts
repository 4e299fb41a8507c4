import { type Action, read, write } from '../action.ts';
import { refused, required } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { associateProfile, profileOf } from '../instance-profile.ts';
import { describe, listFields } from '../listing.ts';
import { list, record, text } from '../query.ts';
import type { ProfileAssociation } from '../records.ts';
import { freshId } from '../region.ts';
import { el, time, wrap } from '../xml.ts';

const profileField = { IamInstanceProfile: record({ Arn: text, Name: text }) } as const;

/** None of these has DryRun: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateIamInstanceProfile.html */
export const instanceProfileActions: readonly Action[] = [
  write({
    name: 'AssociateIamInstanceProfile',
    fields: { ...profileField, InstanceId: text },
    run: (context, input) => {
      const { region } = context;
      const instance = target(region.instances, ID.instance, input.InstanceId, 'instanceId');
      if (!['pending', 'running', 'stopping', 'stopped'].includes(instance.power.state)) {
        throw refused(
          'IncorrectInstanceState',
          `The instance '${instance.id}' is not in a state from which a profile can be associated.`,
        );
      }
      for (const _ of region.profiles.of(instance.id))
        throw refused('IncorrectState', `There is an existing association for instance ${instance.id}`);
      const association = associateProfile(
        context,
        instance.id,
        required(input.IamInstanceProfile, 'iamInstanceProfile'),
      );
      return wrap('iamInstanceProfileAssociation', associationXml(association, 'associating'));
    },
  }),
  write({
    name: 'ReplaceIamInstanceProfileAssociation',
    fields: { ...profileField, AssociationId: text },
    run: ({ region, now }, input) => {
      const old = target(region.profiles, ID.profileAssociation, input.AssociationId, 'associationId');
      const profile = profileOf(region, required(input.IamInstanceProfile, 'iamInstanceProfile'));
      region.profiles.remove(old.id);
      const next = region.profiles.put({ ...old, id: freshId(region, 'iip-assoc'), profile, at: now });
      return wrap('iamInstanceProfileAssociation', associationXml(next, 'associating'));
    },
  }),
  write({
    name: 'DisassociateIamInstanceProfile',
    fields: { AssociationId: text },
    run: ({ region }, input) => {
      const association = target(region.profiles, ID.profileAssociation, input.AssociationId, 'associationId');
      region.profiles.remove(association.id);
      return wrap('iamInstanceProfileAssociation', associationXml(association, 'disassociating'));
    },
  }),
  read({
    name: 'DescribeIamInstanceProfileAssociations',
    fields: { ...listFields, AssociationId: list(text) },
    run: (context, input) =>
      describe(context, input, input.AssociationId, {
        set: 'iamInstanceProfileAssociationSet',
        table: context.region.profiles,
        rules: { ids: ID.profileAssociation, max: 1000 },
        filters: {
          'instance-id': (association) => [association.instanceId],
          state: (association) => [association.state],
        },
        render: (association) => associationXml(association, association.state),
      }),
  }),
];

function associationXml(association: ProfileAssociation, state: ProfileAssociation['state']): string {
  return (
    el('associationId', association.id) +
    el('instanceId', association.instanceId) +
    wrap('iamInstanceProfile', el('arn', association.profile.arn) + el('id', association.profile.profileId)) +
    el('state', state) +
    el('timestamp', time(association.at))
  );
}
