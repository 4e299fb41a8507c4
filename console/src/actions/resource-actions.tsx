import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import * as queries from '../queries.ts';
import { PatchDialog } from './patches.tsx';
import { PauseDialog } from './pauses.tsx';
import { useMay } from './permissions.ts';
import { ReconcileDialog } from './reconcile.tsx';

interface ResourceActionsProps {
  readonly estate: string;
  readonly scope: string;
  readonly address?: string | undefined;
  readonly owners: readonly string[];
  /** The address of its document; absent: none states it. */
  readonly document?: string | undefined;
  /** A worker heals it by itself: asking for a reconcile is enough. */
  readonly isHealed: boolean;
  /** An approval can release it. */
  readonly isWithheld: boolean;
}

/** Of one resource: only those that a grant of the person may permit. */
export function ResourceActions({
  estate,
  scope,
  address,
  owners,
  document,
  isHealed,
  isWithheld,
}: ResourceActionsProps) {
  const may = useMay();
  const { data } = useQuery(queries.targets(estate));
  const targets = data?.items.filter((target) => target.scope === scope).map(({ name }) => name) ?? [];
  // why: the API reconciles a target for those who operate all of it
  const target = targets.find((name) => may('operate', { estate, targets: [name] }));
  const mayPause = address !== undefined && may('operate', { estate, targets, owners });
  const mayApprove = isWithheld && address !== undefined && may('approve', { estate, targets, owners });
  if (target === undefined && !mayPause && !mayApprove) return null;
  return (
    <fieldset className="actions" aria-label="Actions">
      {target === undefined ? null : (
        <ReconcileDialog estate={estate} target={target} title={isHealed ? 'Heal now' : 'Observe now'} />
      )}
      {mayApprove ? (
        <Link to="/approvals" search={{ estate, address }} className="button">
          Review for approval
        </Link>
      ) : null}
      {mayPause && document !== undefined ? <PatchDialog estate={estate} document={document} /> : null}
      {mayPause ? <PauseDialog estate={estate} subject={{ type: 'address', name: address }} /> : null}
    </fieldset>
  );
}
