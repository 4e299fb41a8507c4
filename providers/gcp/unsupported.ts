import { unsupportedOn } from '../pass/unsupported.ts';

export const unsupported = unsupportedOn('Google Cloud');
