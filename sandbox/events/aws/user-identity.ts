import type { Identity } from '../../ec2/identity.ts';

/** https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-user-identity.html */
export function userIdentity({ account, accessKeyId, arn, userId }: Identity): object {
  const common = { principalId: userId, arn, accountId: account, accessKeyId };
  const role = /^arn:aws:sts::\d+:assumed-role\/([^/]+)\//.exec(arn)?.[1];
  if (role === undefined) return { type: 'IAMUser', ...common, userName: arn.slice(arn.lastIndexOf('/') + 1) };
  const issuer = {
    type: 'Role',
    principalId: userId.split(':')[0],
    arn: `arn:aws:iam::${account}:role/${role}`,
    accountId: account,
    userName: role,
  };
  return {
    type: 'AssumedRole',
    ...common,
    sessionContext: { sessionIssuer: issuer, attributes: { mfaAuthenticated: 'false' } },
  };
}
