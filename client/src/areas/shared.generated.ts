// Made from openapi.json by `npm run generate`; changes here are lost.

export interface DeskRepository {
  url: string;
  branch: string | null;
}
