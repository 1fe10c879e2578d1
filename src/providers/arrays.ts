import { partsOf } from '../util/json-schema.ts';
import type { SchemaRule } from './provider.ts';

/** Refuses arrays without `items`. Mending adds `items: {}`, which has the same meaning. */
export const itemsOfArrays: SchemaRule = {
  *find(root) {
    for (const { schema, path } of partsOf(root))
      if (lacksItems(schema)) yield { path, has: 'an array without "items"' };
  },
  mend(root) {
    for (const { schema } of partsOf(root)) if (lacksItems(schema)) schema['items'] = {};
  },
};

function lacksItems({ type, items }: Readonly<Record<string, unknown>>): boolean {
  return items === undefined && (type === 'array' || (Array.isArray(type) && type.includes('array')));
}
