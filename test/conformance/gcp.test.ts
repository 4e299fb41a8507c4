import { conformance } from './conformance.ts';
import { gcpSubject, openGcp } from './gcp-harness.ts';

conformance('gcp', gcpSubject, openGcp);
