import { openAws } from './aws-harness.ts';
import { conformance } from './conformance.ts';

conformance('aws', openAws);
