import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Result } from '../../src/core/failure.ts';
import type { SecretStore } from '../../src/ports/secrets.ts';
import { isTrip, type Meanings, refusal, strange } from './refusal.ts';
import { numberAt, textAt } from './value-at.ts';

/**
 * The current version of a secret, by the SDK's own default chain. The library asks again by itself: 10,000 requests a
 * second are let pass, https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_limits.html
 */
export const awsSecretsManager: SecretStore<'aws'> = async ({ arn, region }, { signal, endpoint }) => {
  const client = new SecretsManagerClient({ region, requestHandler, ...(endpoint === undefined ? {} : { endpoint }) });
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: arn }), { abortSignal: signal });
    const held = answer.SecretString ?? answer.SecretBinary;
    return held === undefined ? strange : { ok: true, value: held };
  } catch (error) {
    return refused(error);
  } finally {
    client.destroy();
  }
};

const requestHandler = { connectionTimeout: 3_000, requestTimeout: 5_000, throwOnRequestTimeout: true } as const;

/**
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html#API_GetSecretValue_Errors and
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/CommonErrors.html: nearly all come with HTTP 400
 */
const meanings: Meanings = {
  ResourceNotFoundException: 'missing',
  InvalidRequestException: 'disabled',
  DecryptionFailure: 'disabled',
  AccessDeniedException: 'refused',
  UnrecognizedClientException: 'refused',
  InvalidClientTokenId: 'refused',
  InvalidSignatureException: 'refused',
  IncompleteSignature: 'refused',
  MissingAuthenticationToken: 'refused',
  ExpiredTokenException: 'refused',
  RequestExpired: 'refused',
  NotAuthorized: 'refused',
  OptInRequired: 'refused',
  CredentialsProviderError: 'anonymous',
  ThrottlingException: 'away',
  InternalServiceError: 'away',
  InternalFailure: 'away',
  ServiceUnavailable: 'away',
};

function refused(error: unknown): Result<never> {
  if (isTrip(error)) return strange;
  return refusal({ status: numberAt(error, '$metadata', 'httpStatusCode'), code: textAt(error, 'name') }, meanings);
}
