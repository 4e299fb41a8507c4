import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * The SDKs. Required and not imported: for an imported CommonJS package, Node parses all its files twice more to detect its
 * format and exports, and EC2's is two megabytes.
 */
export const ec2: typeof import('@aws-sdk/client-ec2') = load('@aws-sdk/client-ec2');
export const sts: typeof import('@aws-sdk/client-sts') = load('@aws-sdk/client-sts');
