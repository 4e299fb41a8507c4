-- One chain a scope, and one for the notes of people: writes to different scopes share no lock.

-- The chain that an estate had until now ends where its columns `seq` and `hash` say. `seal`: the signed checkpoint of that end, which
-- the genesis of all its chains covers. `numbers`: the sequence that gives the entries of the estate their `seq`.
ALTER TABLE setpoint.estates ADD COLUMN seal text, ADD COLUMN numbers text;

-- The head of each chain. Whoever writes to a chain locks its row first. `at`: of its newest entry, which no later one goes behind.
CREATE TABLE setpoint.chains (
  estate text NOT NULL REFERENCES setpoint.estates (name),
  chain text NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (estate, chain)
);

-- Entries of the first version have no chain and no number. A program of that version may add no more of them.
-- `after`: transactions from here on began after the entry had its `seq`; see the pages of the ledger.
ALTER TABLE setpoint.ledger ADD COLUMN chain text, ADD COLUMN number bigint, ADD COLUMN after xid8;
ALTER TABLE setpoint.ledger ALTER COLUMN after SET DEFAULT pg_snapshot_xmax(pg_current_snapshot());
ALTER TABLE setpoint.ledger ADD CONSTRAINT written_by_an_older_setpoint_update_it
  CHECK (chain IS NOT NULL AND number IS NOT NULL AND number > 0) NOT VALID;

-- The application may make no sequences: this is its only way to a new one.
CREATE FUNCTION setpoint.number_entries(estate text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  made text;
  last bigint;
BEGIN
  SELECT numbers, seq INTO made, last FROM setpoint.estates WHERE name = estate FOR UPDATE;
  IF NOT FOUND OR made IS NOT NULL THEN
    RETURN made;
  END IF;
  made := 'setpoint.entries_' || md5(estate);
  EXECUTE format('CREATE SEQUENCE %s START %s', made, last + 1);
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'setpoint_app') THEN
    EXECUTE format('GRANT USAGE ON SEQUENCE %s TO setpoint_app', made);
  END IF;
  UPDATE setpoint.estates SET numbers = made WHERE name = estate;
  RETURN made;
END
$$;
REVOKE EXECUTE ON FUNCTION setpoint.number_entries FROM PUBLIC;

-- Draws numbers for entries. A snapshot ends at the newest transaction that has completed, so one that drew a lower number and still runs
-- may lie beyond it. The insert that is taken back completes after all of these, and so the snapshot of the next statement holds them.
CREATE UNLOGGED TABLE setpoint.number_draws (at timestamptz NOT NULL);
CREATE FUNCTION setpoint.draw_numbers(numbers text, count integer) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  drawn bigint[];
BEGIN
  SELECT array_agg(nextval(numbers::regclass)) INTO drawn FROM generate_series(1, count);
  BEGIN
    INSERT INTO setpoint.number_draws (at) VALUES (now());
    RAISE EXCEPTION USING ERRCODE = 'SP000';
  EXCEPTION WHEN SQLSTATE 'SP000' THEN
    RETURN drawn;
  END;
END
$$;

-- Programs of an older version say no version of theirs. They get no lease and keep none: each of their passes ends with nothing sent.
CREATE FUNCTION setpoint.refuse_older() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('setpoint.version', true) >= '2' THEN
    RETURN NEW;
  END IF;
  IF current_user <> 'setpoint_app' AND current_setting('application_name') <> 'setpoint' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'INSERT' AND NEW.holder <> '' THEN
    INSERT INTO setpoint.leases (estate, scope, epoch, holder, since, expires_at)
      VALUES (NEW.estate, NEW.scope, 1, '', now(), now()) ON CONFLICT DO NOTHING;
  ELSIF TG_OP = 'INSERT' THEN
    RETURN NEW;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER newer_only BEFORE INSERT OR UPDATE ON setpoint.leases
  FOR EACH ROW EXECUTE FUNCTION setpoint.refuse_older();
UPDATE setpoint.leases SET epoch = epoch + 1, holder = '', expires_at = now() WHERE expires_at > now();

-- `settled`: the hash of the newest settlement, by which one that is repeated is known.
ALTER TABLE setpoint.intents ADD COLUMN settled text;
