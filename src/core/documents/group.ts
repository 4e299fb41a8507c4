import { z } from 'zod';
import { metadata, name, names, printableText, terms, text } from './fields.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html */
const description = text(
  /^[A-Za-z0-9 ._\-:/()#,@[\]+=&;{}!$*]{1,255}$/,
  'text of 1 to 255 letters, digits, spaces and ._-:/()#,@[]+=&;{}!$*',
);

/** One object for each target: it goes in no waves. */
const { rollout: _, ...own } = terms();

export const groupSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Group'),
    metadata: metadata().extend({
      name: name().meta({ description: 'The name of the group, unique in its network, or all.' }),
    }),
    spec: z.strictObject(
      {
        network: name().meta({ description: 'The network of the group.' }),
        targets: names('targets')
          .optional()
          .meta({ description: 'The targets of the document. Default: all targets of the network.' }),
        names: z
          .record(name(), printableText(255), { error: 'a map from targets to names' })
          .optional()
          .meta({
            description:
              'The name of the object on the cloud, for each target: of a new security group, of a new application security group, a network tag, or a service account of Google Cloud. Default: <network>-<group>. The name of an existing object cannot change.',
            examples: [{ 'aws-prod': 'web servers' }],
          }),
        description: description.optional().meta({
          description: 'AWS only. The description of a new security group. AWS fixes it at creation.',
        }),
        ...own,
      },
      { error: 'a map with the network of the group' },
    ),
  })
  .meta({
    title: 'Group',
    description:
      'A group of a network: its names on the clouds, an existing object to adopt, its terms. A group without a document exists once a rule or an instance names it.',
  });
