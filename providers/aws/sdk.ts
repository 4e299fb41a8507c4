import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * The SDKs. Required and not imported: of a package in CommonJS Node parses all that it imports twice more, to find out what
 * it is and what it exports, and EC2's is two megabytes.
 */
export const ec2: typeof import('@aws-sdk/client-ec2') = load('@aws-sdk/client-ec2');
export const sts: typeof import('@aws-sdk/client-sts') = load('@aws-sdk/client-sts');
