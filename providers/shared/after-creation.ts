/**
 * Runs the remaining work once an object exists: a stop in between must not lose the object's id, so it is answered with
 * `otherwise` and the next reconcile goes on from what it sees.
 */
export async function afterCreation<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch {
    return otherwise;
  }
}
