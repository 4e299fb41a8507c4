-- The estate's guard epoch: how often people have said something stricter. It rises in the transaction that records a pause or
-- a generation, whoever writes it, and every intent is ordered against it: the writer of an intent holds the row FOR SHARE.
CREATE TABLE setpoint.guard_epochs (
  estate text PRIMARY KEY,
  epoch bigint NOT NULL
);
INSERT INTO setpoint.guard_epochs (estate, epoch) SELECT name, 0 FROM setpoint.estates;

CREATE FUNCTION setpoint.raise_guard_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO setpoint.guard_epochs (estate, epoch) VALUES (NEW.estate, 1)
    ON CONFLICT (estate) DO UPDATE SET epoch = guard_epochs.epoch + 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER raises_guard_epoch AFTER INSERT ON setpoint.pauses
  FOR EACH ROW EXECUTE FUNCTION setpoint.raise_guard_epoch();
CREATE TRIGGER raises_guard_epoch AFTER INSERT ON setpoint.generations
  FOR EACH ROW EXECUTE FUNCTION setpoint.raise_guard_epoch();

-- The epoch that a holder found when it took the lease: whatever it reads after that, it reads of this epoch or a later one.
ALTER TABLE setpoint.leases ADD COLUMN guard_epoch bigint NOT NULL DEFAULT 0;
CREATE FUNCTION setpoint.note_guard_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT epoch INTO NEW.guard_epoch FROM setpoint.guard_epochs WHERE estate = NEW.estate FOR SHARE;
  NEW.guard_epoch := coalesce(NEW.guard_epoch, 0);
  RETURN NEW;
END
$$;
CREATE TRIGGER notes_guard_epoch BEFORE INSERT OR UPDATE OF epoch ON setpoint.leases
  FOR EACH ROW EXECUTE FUNCTION setpoint.note_guard_epoch();

-- The epoch that an intent was made under; null: before there were epochs. A program of an earlier version names none: its
-- intents are taken only where nothing stricter was said since it took its lease, as it reads what people say after that.
ALTER TABLE setpoint.intents ADD COLUMN guard_epoch bigint;
CREATE FUNCTION setpoint.guard_intent() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  now_in_force bigint;
BEGIN
  SELECT epoch INTO now_in_force FROM setpoint.guard_epochs WHERE estate = NEW.estate FOR SHARE;
  now_in_force := coalesce(now_in_force, 0);
  IF NEW.guard_epoch IS NULL THEN
    SELECT guard_epoch INTO NEW.guard_epoch FROM setpoint.leases WHERE estate = NEW.estate AND scope = NEW.scope;
  END IF;
  IF NEW.verb <> 'forget' AND NEW.guard_epoch IS DISTINCT FROM now_in_force THEN
    RAISE EXCEPTION 'people changed what may be done in % since this was planned: plan again', NEW.estate
      USING ERRCODE = 'serialization_failure';
  END IF;
  NEW.guard_epoch := now_in_force;
  RETURN NEW;
END
$$;
CREATE TRIGGER guards_intent BEFORE INSERT ON setpoint.intents
  FOR EACH ROW EXECUTE FUNCTION setpoint.guard_intent();
