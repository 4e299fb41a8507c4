import { z } from 'zod';
import { longestIntervalMs, shortestIntervalMs } from '../criticality.ts';
import { clouds } from '../resource.ts';
import { targetCalendar } from './change-windows.ts';
import {
  criticality,
  duration,
  guarded,
  ignoreUnmanaged,
  inheritedRemediation,
  LOOPBACK,
  minReady,
  mode,
  plainMetadata,
  rollout,
  text,
  whole,
} from './fields.ts';
import { credentials } from './secret-ref.ts';
import type { Position } from './tree.ts';

const place = (what: string) => text(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,89}$/, what);

/** Each provider's rules for account, region and zone are in `checks/targets`. */
export const targetSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Target'),
    metadata: plainMetadata(),
    spec: z.strictObject(
      {
        provider: z.enum(clouds).meta({ description: 'The cloud.' }),
        account: place('an AWS account, GCP project or Azure subscription, in quotes').meta({
          description: 'AWS account, GCP project or Azure subscription. In quotes.',
          examples: ['111122223333'],
        }),
        region: place('a region, such as eu-west-1').meta({
          description: 'The region; on Azure the location.',
          examples: ['eu-west-1', 'europe-west1', 'westeurope'],
        }),
        zone: place('a zone, such as europe-west1-b')
          .optional()
          .meta({ description: 'The zone. Required for instances on Google Cloud.' }),
        resourceGroup: text(/^[\w.()-]{0,89}[\w()-]$/, 'an Azure resource group')
          .optional()
          .meta({
            description:
              'The resource group. Azure only, and required there. Setpoint creates it if absent and never deletes it.',
          }),
        endpoint: text(LOOPBACK, 'a loopback address, such as http://127.0.0.1:4566')
          .register(guarded, { guards: 'address' })
          .optional()
          .meta({ description: 'The URL of a sandbox or emulator on this machine; needs --allow-endpoint.' }),
        credentials: credentials().optional().meta({
          description: "The credentials. Default: the SDK's own chain.",
        }),
        mode: mode(),
        remediation: inheritedRemediation(),
        criticality: criticality(),
        every: duration({
          least: shortestIntervalMs,
          most: longestIntervalMs,
          expected: 'a duration from 15s to 24h, such as 30s, 5m or 1h',
        })
          .optional()
          .meta({
            description:
              "The observation interval. Default: by the criticality, from the workers' --interval. The shortest of the targets in a scope counts.",
            examples: ['1m'],
          }),
        ...targetCalendar(),
        ignoreUnmanaged: ignoreUnmanaged(),
        rollout: rollout(),
        minReady: minReady(),
        quotas: z
          .strictObject(
            {
              rulesPerGroup: whole(1, 1000)
                .optional()
                .meta({
                  description:
                    'The most rules of a security group (AWS, in each direction) or a network security group (Azure). Default: 60 on AWS, 1000 on Azure.',
                  examples: [100],
                }),
            },
            { error: '{ rulesPerGroup }' },
          )
          .optional()
          .meta({
            description: 'Changed quotas of the account. A plan reports what exceeds them before any write.',
          }),
      },
      { error: 'a map' },
    ),
  })
  .meta({ title: 'Target', description: 'A named account and region of a cloud, with credentials and mode.' });

/** A target's region as its document has it, and its place there. */
export interface PlacedRegion {
  readonly region: string;
  readonly at: Position;
}
