/**
 * The rows of the project's table of cases, "when is a difference drift?", by the cloud whose spelling they are about. Each
 * is tested where its id leads the name of a test.
 */
export const rows = {
  aws: `A01 A02 A04 A05 A07 A08 A10 A11 A13 A14 A16 A17 A19 A20 A22 A23 A25 A26 A28 A29 A31 A32 A34 A35 A37 A38 A40 A41 A43 A44 A46 A47 A49 A50`.split(
    ' ',
  ),
  gcp: `G01 G02 G04 G05 G07 G08 G10 G11 G13 G14 G16 G17 G19 G20 G22 G23 G25 G26 G28 G29 G31 G32 G34 G35 G37 G38 G40 G41 G43 G44 G46 G47`.split(
    ' ',
  ),
  azure:
    `Z01 Z02 Z04 Z05 Z07 Z08 Z10 Z11 Z13 Z14 Z16 Z17 Z19 Z20 Z22 Z23 Z25 Z26 Z28 Z29 Z31 Z32 Z34 Z35 Z37 Z38 Z40`.split(
      ' ',
    ),
} as const satisfies Readonly<Record<string, readonly string[]>>;
