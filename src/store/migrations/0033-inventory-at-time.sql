-- The parameter of inventory_at is at_time. PostgreSQL cannot rename a parameter, so the function is made anew, with its grants.
DO $$
DECLARE
  rights CONSTANT aclitem[] := (SELECT proacl FROM pg_proc WHERE oid = 'setpoint_read.inventory_at'::regproc);
  given record;
BEGIN
  DROP FUNCTION setpoint_read.inventory_at;

  CREATE FUNCTION setpoint_read.inventory_at(at_time timestamptz) RETURNS SETOF setpoint_read.inventory_history
  LANGUAGE sql STABLE PARALLEL SAFE
  BEGIN ATOMIC
    SELECT * FROM setpoint_read.inventory_history WHERE started_at <= at_time AND (ended_at IS NULL OR ended_at > at_time);
  END;
  REVOKE EXECUTE ON FUNCTION setpoint_read.inventory_at FROM PUBLIC;

  FOR given IN
    SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee, is_grantable
    FROM aclexplode(rights) WHERE privilege_type = 'EXECUTE'
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION setpoint_read.inventory_at TO %s %s', given.grantee,
      CASE WHEN given.is_grantable THEN 'WITH GRANT OPTION' END);
  END LOOP;
EXCEPTION
  -- A view of somebody else that uses the function keeps the former parameter. Its calls work as before.
  WHEN dependent_objects_still_exist THEN NULL;
END
$$;
