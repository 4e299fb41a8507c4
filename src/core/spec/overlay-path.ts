/** Where in a spec tree something was written. */
export type Layer = 'base' | `overlay ${string}`;

/**
 * What lies under `overlays/<name>/` is of that overlay; everything else is the base. A team's tree, which stands under
 * `@<team>/`, has overlays of its own.
 */
export function layerOf(path: string): Layer {
  const name = OVERLAY.exec(path)?.[1];
  return name === undefined ? 'base' : `overlay ${name}`;
}

/** Whose tree a path lies in: `@web/` where team web's repository holds it, '' for the estate's own. */
export const treeOf = (path: string): string => /^@[^/]+\//.exec(path)?.[0] ?? '';

/**
 * Whether a file or folder is read where this overlay is chosen: not what is of another one. A spec that lies in
 * `overlays/` itself is read, so that somebody is told of it.
 */
export function isRead(path: string, overlay: string | undefined): boolean {
  const [under, name] = UNDER.exec(path) ?? [];
  if (under === undefined) return true;
  if (overlay === undefined) return false;
  return name === undefined || name === overlay || isStray(path);
}

/** Lies in `overlays/`, and so in no overlay. */
export const isStray = (path: string): boolean => /^(?:@[^/]+\/)?overlays\/[^/]+\.(?:ya?ml|json)$/i.test(path);

/** As names of documents are: an overlay's stands in revisions, behind `@`. */
export const isOverlayName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(name);

const OVERLAY = /^(?:@[^/]+\/)?overlays\/([^/]+)\//;
const UNDER = /^(?:@[^/]+\/)?overlays(?:\/([^/]+))?(?=\/|$)/;
