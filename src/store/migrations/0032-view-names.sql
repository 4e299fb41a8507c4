-- Columns of the views take the names of docs/concepts.md. Renaming a column keeps the rights that people gave on its view.
ALTER VIEW setpoint_read.inventory_history RENAME COLUMN changed_by TO last_modified_by;
ALTER VIEW setpoint_read.inventory_history RENAME COLUMN changed_with TO last_modified_with;
ALTER VIEW setpoint_read.inventory_history RENAME COLUMN changed_from TO last_modified_from;
ALTER VIEW setpoint_read.inventory_history RENAME COLUMN changed_at TO last_modified_at;
ALTER VIEW setpoint_read.inventory_history RENAME COLUMN held TO withheld;
ALTER VIEW setpoint_read.inventory_history RENAME COLUMN began TO started_at;
ALTER VIEW setpoint_read.inventory_history RENAME COLUMN ended TO ended_at;

ALTER VIEW setpoint_read.inventory RENAME COLUMN changed_by TO last_modified_by;
ALTER VIEW setpoint_read.inventory RENAME COLUMN changed_with TO last_modified_with;
ALTER VIEW setpoint_read.inventory RENAME COLUMN changed_from TO last_modified_from;
ALTER VIEW setpoint_read.inventory RENAME COLUMN changed_at TO last_modified_at;
ALTER VIEW setpoint_read.inventory RENAME COLUMN held TO withheld;
ALTER VIEW setpoint_read.inventory RENAME COLUMN lasts TO duration;

ALTER VIEW setpoint_read.drift RENAME COLUMN changed_by TO last_modified_by;
ALTER VIEW setpoint_read.drift RENAME COLUMN changed_with TO last_modified_with;
ALTER VIEW setpoint_read.drift RENAME COLUMN changed_from TO last_modified_from;
ALTER VIEW setpoint_read.drift RENAME COLUMN changed_at TO last_modified_at;
ALTER VIEW setpoint_read.drift RENAME COLUMN held TO withheld;
ALTER VIEW setpoint_read.drift RENAME COLUMN lasts TO duration;

ALTER VIEW setpoint_read.ledger RENAME COLUMN pass TO reconcile;
ALTER VIEW setpoint_read.ledger RENAME COLUMN changed_by TO last_modified_by;
ALTER VIEW setpoint_read.ledger RENAME COLUMN changed_with TO last_modified_with;
ALTER VIEW setpoint_read.ledger RENAME COLUMN changed_at TO last_modified_at;
