import type { InstanceDoc, TargetDoc } from './document.ts';

type Provider = TargetDoc['spec']['provider'];

/** What each cloud takes as a machine's first script, before base64. */
const LIMITS: Readonly<Record<Exclude<Provider, 'memory'>, { readonly bytes: number; readonly source: string }>> = {
  aws: { bytes: 16_384, source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html' },
  gcp: { bytes: 262_144, source: 'https://cloud.google.com/compute/docs/metadata/setting-custom-metadata' },
  azure: { bytes: 65_535, source: 'https://learn.microsoft.com/azure/virtual-machines/custom-data' },
};

export interface UserDataUse {
  readonly target: string;
  readonly path: readonly PropertyKey[];
  readonly file: string;
  /** Whether a login is made as well. */
  readonly login: boolean;
}

/** The targets that boot with the document's own user data, and those that have one of their own. */
export function userDataFiles({ spec }: InstanceDoc): readonly UserDataUse[] {
  return spec.targets.flatMap((target) => {
    const own = Object.hasOwn(spec.on, target) ? spec.on[target] : undefined;
    const path = own?.userData ? ['spec', 'on', target, 'userData', 'file'] : ['spec', 'userData', 'file'];
    const file = (own?.userData ?? spec.userData)?.file;
    const login = (own?.access?.user ?? spec.access?.user) !== undefined;
    return file === undefined ? [] : [{ target, path, file, login }];
  });
}

interface Script {
  readonly bytes: number;
  readonly isText: boolean;
  readonly login: boolean;
}

/**
 * Why a cloud would not take this; undefined where it would. Scripts travel as text, and on Google Cloud stay text (a metadata
 * value is a string), so bytes that are no UTF-8 would arrive as others. On AWS a login is user data too, and the two then
 * go as the base64 parts of one message, four bytes for three.
 */
export function userDataRefused({ bytes, isText, login }: Script, provider: Provider): string | undefined {
  if (!isText) return 'it is not UTF-8 text';
  if (provider === 'memory') return undefined;
  const { bytes: most, source } = LIMITS[provider];
  const beside = provider === 'aws' && login;
  const sent = beside ? 4 * Math.ceil(bytes / 3) : bytes;
  if (sent <= most) return undefined;
  const told = beside ? `${bytes} bytes, ${sent} as it is sent beside a login` : `${bytes} bytes`;
  return `it has ${told}, and ${provider} takes at most ${most} (${source})`;
}
