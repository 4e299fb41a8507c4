import { unsupportedOn } from '../shared/unsupported.ts';

export const unsupported = unsupportedOn('Google Cloud');
