-- Who may ask. Tokens are never deleted: a store that had one once never makes a first one again.
-- `hash`: SHA-256 of the secret, which itself is nowhere. `body`: name, grants, maker, and whom it speaks for.
-- `revoked`: when, and by whom. `used_at`: to within an hour.
CREATE TABLE setpoint.tokens (
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{16}$'),
  hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  body json NOT NULL,
  at bigint NOT NULL,
  expires_at bigint NOT NULL,
  revoked json,
  used_at bigint
);
