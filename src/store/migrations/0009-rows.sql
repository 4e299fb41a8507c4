-- The lines of the inventory as they are and as they were, and what people with psql may read.

-- The newest look that lines were kept of. `gaps`: kinds that it could not tell of. `generation`: the one that all lines which it
-- found in step are in step with; so a newer one that asks nothing else of them is written once, and not into each. `left_at`: since
-- when no target names the scope; null: one does.
CREATE TABLE setpoint.row_looks (
  estate text NOT NULL,
  scope text NOT NULL,
  at bigint NOT NULL,
  gaps text[] NOT NULL,
  generation integer NOT NULL,
  left_at bigint,
  PRIMARY KEY (estate, scope)
);

CREATE SEQUENCE setpoint.version_numbers;

-- A version for each change of a line. Looked at far more often as it is now than as it was, so what is now lies apart: a page
-- of it costs the same however much history there is. `ended` null: it is so still. `owner` is '' where it is nobody's.
-- `seen`: the last look that it was found in, null where that is the newest one. `listed` false: a later look could not tell.
-- `words`: what a text search looks through, in small letters. `refs`: addresses and ids that it names. `body`: all of it, as told.
CREATE TABLE setpoint.versions (
  number bigint NOT NULL DEFAULT nextval('setpoint.version_numbers'),
  current boolean NOT NULL DEFAULT true,
  estate text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  cloud text NOT NULL,
  account text NOT NULL,
  region text NOT NULL,
  kind text NOT NULL,
  status text COLLATE "C" NOT NULL,
  claim text NOT NULL,
  owner text NOT NULL,
  targets text[] NOT NULL,
  labels jsonb NOT NULL,
  name text COLLATE "C" NOT NULL,
  address text,
  id text,
  since bigint NOT NULL,
  generation integer NOT NULL,
  cause text,
  began bigint NOT NULL,
  ended bigint,
  seen bigint,
  listed boolean NOT NULL DEFAULT true,
  digest text NOT NULL,
  words text NOT NULL,
  refs text[] NOT NULL,
  body jsonb NOT NULL,
  CHECK (current = (ended IS NULL))
) PARTITION BY LIST (current);
CREATE TABLE setpoint.versions_now PARTITION OF setpoint.versions FOR VALUES IN (true);
CREATE TABLE setpoint.versions_past PARTITION OF setpoint.versions FOR VALUES IN (false);

-- Each order that pages come in, and each filter in the usual order: by place. So what is of a cloud lies together, and what else
-- is asked of it is never far from the next line that fits.
CREATE INDEX versions_by_place ON setpoint.versions (scope, key, estate);
CREATE INDEX versions_by_name ON setpoint.versions (name, scope, key);
CREATE INDEX versions_by_status ON setpoint.versions (status, scope, key);
CREATE INDEX versions_by_since ON setpoint.versions (since, scope, key);
CREATE INDEX versions_by_account ON setpoint.versions (account, scope, key);
CREATE INDEX versions_by_region ON setpoint.versions (region, scope, key);
CREATE INDEX versions_by_kind ON setpoint.versions (kind, scope, key);
CREATE INDEX versions_by_owner ON setpoint.versions (owner, scope, key);
CREATE INDEX versions_by_key ON setpoint.versions (key);
CREATE INDEX versions_by_address ON setpoint.versions (address);
CREATE INDEX versions_by_id ON setpoint.versions (id);
CREATE INDEX versions_by_targets ON setpoint.versions USING gin (targets);
CREATE INDEX versions_by_labels ON setpoint.versions USING gin (labels);

CREATE UNIQUE INDEX versions_one_now ON setpoint.versions_now (estate, scope, key);
CREATE INDEX versions_by_refs ON setpoint.versions_now USING gin (refs);
CREATE INDEX versions_of_drift ON setpoint.versions_now (scope, key) WHERE cause = 'drift';
CREATE INDEX versions_by_line ON setpoint.versions_past (estate, scope, key, began);
CREATE INDEX versions_by_age ON setpoint.versions_past (ended);

-- Where a server does not have trigrams, or its user may not use them, a text search reads every line.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA setpoint;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'text search is slower without pg_trgm: %', SQLERRM;
END
$$;
DO $$
DECLARE
  place text;
BEGIN
  SELECT nspname INTO place FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm';
  IF place IS NOT NULL THEN
    EXECUTE format('CREATE INDEX versions_by_words ON setpoint.versions USING gin (words %I.gin_trgm_ops)', place);
  END IF;
END
$$;

-- Sightings are pruned by age; those that say when something appeared stay for as long as it does.
CREATE INDEX sightings_by_age ON setpoint.sightings (at) WHERE change <> 'appeared';

-- For people with psql, under the role `setpoint_reader` where it could be made. See docs/sql.md, which says what each column is.
CREATE SCHEMA setpoint_read;

CREATE VIEW setpoint_read.inventory_history AS
SELECT
  version.estate, version.scope, version.cloud, version.account, version.region, version.kind,
  version.address, version.name, version.id,
  version.status, version.body #>> '{state,reason}' AS reason, version.body #>> '{state,code}' AS code,
  to_timestamp(version.since / 1000.0) AS since,
  version.claim, nullif(version.owner, '') AS owner, version.targets, version.labels,
  CASE WHEN version.current AND version.listed AND version.status = 'InSync' THEN look.generation ELSE version.generation END
    AS generation,
  version.body #>> '{state,by,who}' AS changed_by, version.body #>> '{state,by,action}' AS changed_with,
  version.body #>> '{state,by,from}' AS changed_from,
  to_timestamp((version.body #>> '{state,by,at}')::numeric / 1000.0) AS changed_at,
  version.body #> '{sides,diff}' AS diff,
  version.body #>> '{sides,next,verb}' AS next, version.cause, version.body #>> '{sides,next,held}' AS held,
  version.body #> '{sides,desired}' AS desired, version.body #> '{sides,observed}' AS observed,
  version.body #> '{whose,documents}' AS documents,
  to_timestamp(coalesce(version.seen, look.at) / 1000.0) AS observed_at,
  version.listed AND (NOT version.current OR version.kind <> ALL (look.gaps)) AS complete,
  to_timestamp(version.began / 1000.0) AS began, to_timestamp(version.ended / 1000.0) AS ended,
  version.current, version.key, version.number AS version
FROM setpoint.versions AS version
JOIN setpoint.row_looks AS look ON look.estate = version.estate AND look.scope = version.scope;

CREATE VIEW setpoint_read.inventory AS
SELECT
  estate, scope, cloud, account, region, kind, address, name, id, status, reason, code, since, now() - since AS lasts,
  claim, owner, targets, labels, generation, changed_by, changed_with, changed_from, changed_at, diff, next, cause, held,
  desired, observed, documents, observed_at, now() - observed_at AS age, complete, key
FROM setpoint_read.inventory_history
WHERE current;

CREATE VIEW setpoint_read.drift AS
SELECT
  estate, scope, kind, address, name, id, status, since, lasts, reason, changed_by, changed_with, changed_from, changed_at,
  diff, next, held, owner, targets, observed_at, age, complete, key
FROM setpoint_read.inventory
WHERE status IN ('Drifted', 'Missing') OR cause = 'drift';

-- `inventory` as it was: SELECT * FROM inventory_at(now() - interval '7 days').
CREATE FUNCTION setpoint_read.inventory_at(moment timestamptz) RETURNS SETOF setpoint_read.inventory_history
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT * FROM setpoint_read.inventory_history WHERE began <= moment AND (ended IS NULL OR ended > moment);
END;
REVOKE EXECUTE ON FUNCTION setpoint_read.inventory_at FROM PUBLIC;

-- An entry's body is canonical JSON text, and may hold escapes that jsonb refuses (NUL, half a surrogate pair).
CREATE VIEW setpoint_read.ledger AS
SELECT
  entry.estate, entry.seq, to_timestamp(entry.at / 1000.0) AS at, entry.type,
  said.body ->> 'verb' AS verb, said.body ->> 'kind' AS kind, entry.address, said.body ->> 'id' AS id,
  CASE WHEN said.body #>> '{outcome,ok}' = 'true' THEN 'ok' ELSE said.body #>> '{outcome,failure,kind}' END AS outcome,
  said.body #>> '{outcome,failure,code}' AS code, said.body #>> '{outcome,failure,message}' AS message,
  (said.body #>> '{authority,generation}')::integer AS generation, said.body #>> '{authority,revision}' AS revision,
  said.body #>> '{authority,plan}' AS plan, said.body #>> '{authority,approver}' AS approver,
  said.body ->> 'scope' AS scope, said.body ->> 'reconcileId' AS pass, said.body #>> '{lease,holder}' AS worker,
  said.body ->> 'intent' AS intent, (said.body ->> 'attempt')::integer AS attempt,
  said.body #>> '{details,by,who}' AS changed_by, said.body #>> '{details,by,action}' AS changed_with,
  to_timestamp((said.body #>> '{details,by,at}')::numeric / 1000.0) AS changed_at,
  said.body #> '{details,changes}' AS changes, said.body -> 'details' AS details, said.body -> 'calls' AS calls,
  said.body -> 'note' AS note, entry.hash
FROM setpoint.ledger AS entry
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN strpos(entry.body, '\u') = 0 THEN entry.body
    ELSE regexp_replace(entry.body, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')
  END::jsonb AS body
) AS said;
