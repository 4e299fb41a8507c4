import { hexDigits, seededRandom } from '../random.ts';
import type { Context } from './action.ts';
import { refused } from './errors.ts';
import type { ProfileAssociation } from './records.ts';
import { freshId, type Region } from './region.ts';
import { noTags } from './tags.ts';

interface ProfileName {
  readonly Arn?: string | undefined;
  readonly Name?: string | undefined;
}

/** The sandbox has no IAM: every well-formed profile exists. Its id is made from its ARN, so it never changes. */
export function profileOf(region: Region, { Arn, Name }: ProfileName): ProfileAssociation['profile'] {
  if (Arn !== undefined && Name !== undefined) {
    throw refused(
      'InvalidParameterCombination',
      `The parameter 'iamInstanceProfile.name' may not be used in combination with 'iamInstanceProfile.arn'`,
    );
  }
  if (Arn === undefined && !/^[\w+=,.@-]{1,128}$/.test(Name ?? '')) {
    throw refused(
      'InvalidParameterValue',
      `Value (${Name ?? ''}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
    );
  }
  const arn = Arn ?? `arn:aws:iam::${region.account}:instance-profile/${Name}`;
  if (!/^arn:aws:iam::\d{12}:instance-profile\/.+$/.test(arn)) {
    throw refused(
      'InvalidParameterValue',
      `Value (${arn}) for parameter iamInstanceProfile.arn is invalid. Invalid IAM Instance Profile ARN`,
    );
  }
  return { arn, profileId: `AIPA${hexDigits(seededRandom(0, arn), 17).toUpperCase()}` };
}

export function associateProfile({ region, now }: Context, instanceId: string, name: ProfileName): ProfileAssociation {
  return region.profiles.put({
    id: freshId(region, 'iip-assoc'),
    tags: noTags,
    instanceId,
    profile: profileOf(region, name),
    state: 'associated',
    at: now,
  });
}
