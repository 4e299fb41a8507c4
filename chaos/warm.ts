import { loadProvider } from '../providers/index.ts';
import { ourClock } from './pace.ts';
import { trialClouds } from './specs.ts';

/** Loads the clouds' SDKs once, before anything is timed: it takes seconds, in which this process hears nobody. */
export async function warmUp(): Promise<void> {
  for (const cloud of trialClouds) {
    const provider = await loadProvider(cloud);
    const endpoint = 'http://127.0.0.1:9';
    const [account, region] = [cloud === 'aws' ? '111122223333' : 'acme-prod', 'eu-west-1'];
    const session = await provider.open(
      { scope: `${cloud}/${account}/${region}`, account, region, endpoint },
      ourClock,
    );
    await session.close();
  }
}
