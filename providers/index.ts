import type { Cloud } from '../src/core/resource.ts';
import type { Provider } from '../src/ports/provider.ts';

/** The registry. Adding a cloud is one folder and one line; what is not used is not loaded. */
const loaders: Readonly<Partial<Record<Cloud, () => Promise<Provider>>>> = {
  aws: async () => (await import('./aws/index.ts')).aws,
  azure: async () => (await import('./azure/index.ts')).azure,
  gcp: async () => (await import('./gcp/index.ts')).gcp,
  memory: async () => (await import('./memory/index.ts')).memory,
};

/** Throws where there is no such provider yet. */
export async function loadProvider(cloud: Cloud): Promise<Provider> {
  const load = loaders[cloud];
  if (!load)
    throw new Error(`there is no provider for ${cloud}; the known ones are ${Object.keys(loaders).join(', ')}`);
  return load();
}
