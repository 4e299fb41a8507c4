// Loaded into a command before its program: its clock goes ahead by so many milliseconds. What a cloud may still show us
// late after a write is given five minutes, which no test wants to sit through.
const ahead = Number(process.env['SETPOINT_TEST_AHEAD_MS'] ?? 0);
const { now } = Date;
Date.now = () => now() + ahead;
