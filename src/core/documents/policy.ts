import { z } from 'zod';
import { kindNames } from '../kinds/kinds.ts';
import { day, freeText, name, names, plainMetadata, printableText, text, whole } from './fields.ts';

/** The longest text of an expression; a longer one is several rules. */
const MOST_TEXT = 4096;

const expression = (): z.ZodString =>
  text(new RegExp(`^[\\s\\S]{1,${MOST_TEXT}}$`, 'u'), `an expression of 1 to ${MOST_TEXT} characters`);

interface Effects {
  readonly deny?: string | undefined;
  readonly warn?: string | undefined;
  readonly requireApproval?: string | undefined;
  readonly approvers?: object | undefined;
}

const onlyOne = ({ deny, warn, requireApproval }: Effects): boolean =>
  [deny, warn, requireApproval].filter((effect) => effect !== undefined).length === 1;

const approversOnlyThere = ({ requireApproval, approvers }: Effects): boolean =>
  approvers === undefined || requireApproval !== undefined;

const approvers = z.strictObject(
  {
    people: whole(1, 5).default(1).meta({ description: 'The number of different people who must approve the change.' }),
    role: name().optional().meta({
      description: 'The approval role that each of them must have, as in `approvalRoles` of a grant. Default: any.',
    }),
  },
  { error: '{ people, role }' },
);

const rule = z
  .strictObject(
    {
      name: name().meta({ description: 'The name of the rule, unique in its policy.' }),
      deny: expression()
        .optional()
        .meta({
          description: 'An expression in CEL. Where it is true, the resource violates the rule and must change.',
          examples: ['resource.fromAnyone && resource.opens(22)'],
        }),
      warn: expression().optional().meta({
        description: 'An expression in CEL. Where it is true, the resource violates the rule and should change.',
      }),
      requireApproval: expression()
        .optional()
        .meta({
          description:
            'An expression in CEL about a change. Where it is true, people must approve the change before Setpoint makes it.',
          examples: ["action.verb == 'delete' && resource.kind == 'network'"],
        }),
      approvers: approvers.optional().meta({ description: 'The people who must approve it. Default: one person.' }),
      message: text(/^[^\p{C}]{1,512}$/u, 'text of 1 to 512 printable characters that says how to comply').meta({
        description: 'How to comply.',
      }),
    },
    { error: '{ name, one of deny, warn and requireApproval, message }' },
  )
  .refine(onlyOne, { error: 'exactly one of deny, warn and requireApproval' })
  .refine(approversOnlyThere, { error: 'no approvers without requireApproval', path: ['approvers'] });

const exemption = z.strictObject(
  {
    resources: z
      .array(printableText(512), { error: 'a list of addresses' })
      .min(1, { error: 'at least one address' })
      .max(200, { error: 'at most 200 addresses' })
      .meta({
        description: 'Addresses of resources; * stands for any text.',
        examples: [['*/instance/bastion-*']],
      }),
    rules: names('rules').optional().meta({ description: 'The rules that do not hold. Default: all of the policy.' }),
    owner: freeText(128).meta({ description: 'The team that owns the exemption.' }),
    reason: freeText(512).meta({ description: 'Why.' }),
    until: day.meta({
      description: 'The last day of the exemption. After it Setpoint warns and the rules hold again.',
    }),
  },
  { error: '{ resources, rules, owner, reason, until }' },
);

export const policySchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Policy'),
    metadata: plainMetadata(),
    spec: z.strictObject(
      {
        kinds: z
          .array(z.enum(kindNames, { error: `a kind: ${kindNames.join(', ')}` }), { error: 'a list of kinds' })
          .min(1, { error: 'at least one kind' })
          .meta({ description: 'The kinds of resources that the rules are about.' }),
        targets: names('targets').optional().meta({ description: 'The targets of the policy. Default: all.' }),
        mode: z.enum(['audit', 'enforce'], { error: 'audit or enforce' }).default('audit').meta({
          description:
            'audit: Setpoint reports violations. enforce: it also withholds each action that makes or changes a resource that a `deny` rule denies, and each change that needs an approval.',
        }),
        rules: z
          .array(rule, { error: 'a list of { name, one of deny, warn and requireApproval, message }' })
          .min(1, { error: 'at least one rule' })
          .max(1000, { error: 'at most 1000 rules' })
          .meta({ description: 'The rules.' }),
        exemptions: z
          .array(exemption, { error: 'a list of { resources, rules, owner, reason, until }' })
          .max(200, { error: 'at most 200 exemptions' })
          .default([])
          .meta({ description: 'Resources for which rules do not hold until a day.' }),
      },
      { error: 'a map with kinds and rules' },
    ),
  })
  .meta({ title: 'Policy', description: 'Rules that resources must comply with, as expressions in CEL.' });
