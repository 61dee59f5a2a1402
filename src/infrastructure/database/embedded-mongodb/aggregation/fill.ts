import { CommandError, refuseOthers } from '../command-error.js';
import { isDocument, type Document } from '../values/document.js';

/** The stages for which $fill stands: they put something where there is null, or nothing. */
export function fillStages(specification: unknown): Document[] {
  if (!isDocument(specification)) throw new CommandError(9, 'the $fill stage must be an object');
  const { output, sortBy, partitionBy, partitionByFields, ...others } = specification;
  refuseOthers('$fill', 40415, others);
  if (!isDocument(output)) throw new CommandError(40414, "BSON field '$fill.output' is missing but a required field");
  if (partitionBy !== undefined && partitionByFields !== undefined) {
    throw new CommandError(6050204, "Maximum one of 'partitionBy' and 'partitionByFields' can be specified in '$fill'");
  }
  const fields = Object.entries(output).map(([path, how]) => ({ path, ...methodOf(how) }));
  if (fields.length === 0)
    throw new CommandError(6050203, "The output field in '$fill' must have at least one element");
  const byNeighbours = fields.filter(({ method }) => method !== undefined);
  const byValue = fields.filter(({ method }) => method === undefined);
  const named = [partitionByFields ?? []].flat().map((name) => [String(name), `$${String(name)}`]);
  const partition = partitionByFields === undefined ? partitionBy : Object.fromEntries(named);
  const windows = {
    ...(partition !== undefined && { partitionBy: partition }),
    ...(sortBy !== undefined && { sortBy }),
    output: Object.fromEntries(byNeighbours.map(({ path, method }) => [path, { [String(method)]: `$${path}` }])),
  };
  const values = Object.fromEntries(byValue.map(({ path, value }) => [path, { $ifNull: [`$${path}`, value] }]));
  return [
    ...(byNeighbours.length > 0 ? [{ $setWindowFields: windows }] : []),
    ...(byValue.length > 0 ? [{ $addFields: values }] : []),
  ];
}

function methodOf(how: unknown): { method?: string; value?: unknown } {
  if (!isDocument(how)) {
    throw new CommandError(6050200, 'Each fill output specification must be an object with exactly one field');
  }
  const { method, ...others } = how;
  const unknown = Object.keys(others).find((name) => name !== 'value');
  if (unknown) throw new CommandError(40415, `BSON field '$fill.${unknown}' is an unknown field.`);
  if ((method === undefined) !== 'value' in others) {
    throw new CommandError(6050201, "Each fill output specification must have exactly one of 'method' or 'value'");
  }
  if (method === undefined) return others;
  if (method === 'linear') return { method: '$linearFill' };
  if (method === 'locf') return { method: '$locf' };
  throw new CommandError(6050202, 'Method must be either locf or linear');
}
