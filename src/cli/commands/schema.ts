import { type Command, Option } from 'commander';
import { type JsonSchemaDialect, jsonSchema } from '../../core/documents/json-schema.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../errors.ts';
import { defineCommand } from '../options.ts';
import { printJson } from '../output/print.ts';

const dialects = ['draft-07', '2020-12'] as const satisfies readonly JsonSchemaDialect[];

export const schema = (context: Context): Command =>
  defineCommand('schema', {
    group: 'Specs',
    summary: 'print the JSON Schema of the spec language, for editors',
    examples: [['schema > specs/schema.json', 'then: # yaml-language-server: $schema=schema.json']],
  })
    .addOption(new Option('--dialect <name>', 'dialect of JSON Schema').choices(dialects).default(dialects[0]))
    .action(({ dialect }: { readonly dialect: JsonSchemaDialect }) => {
      printJson(context.terminal, jsonSchema(dialect));
      context.finish(exitCodes.done);
    });
