/**
 * The name of a machine, or of a part of it, as a census writes it. A successor by surge has a suffix of five characters, which follow
 * from the id of its predecessor: `web-0-k7x2q-nic` → `web-0-*-nic`.
 */
export const called = (name: string): string => name.replace(/^([a-z]+-\d+)-[0-9a-z]{5}(?=$|-)/, '$1-*');
