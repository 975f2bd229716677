import pg from 'pg';

/** A result column, as PostgreSQL describes it before the statement runs. */
export interface Described {
  name: string;
  /** The stored column, if the result returns it unchanged. */
  column: string | undefined;
  type: string;
  /** Known only for a column that is returned unchanged. */
  nullable: boolean | undefined;
}

interface Field {
  name: string;
  dataTypeID: number;
  tableID: number;
  columnID: number;
}

/** A query for the driver that parses and describes the statement without running it. */
class Description {
  #fields: Field[] = [];

  constructor(
    private readonly text: string,
    private readonly settle: (error: Error | undefined, fields: Field[]) => void,
  ) {}

  submit(connection: {
    parse(query: object): void;
    describe(what: object): void;
    sync(): void;
    once(event: string, listen: () => void): void;
  }): void {
    connection.parse({ text: this.text, name: '', types: [] });
    connection.describe({ type: 'S', name: '' });
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#fields = fields;
  }

  /** After an error the driver sends no further messages. */
  handleError(error: Error): void {
    this.settle(error, []);
  }

  handleReadyForQuery(): void {
    this.settle(undefined, this.#fields);
  }
}

/** Prepares statements against a database and returns the columns of their results. */
export async function createDescriber(connection: pg.ClientConfig) {
  const client = new pg.Client(connection);
  await client.connect();
  const types = await readTypes(client);
  const columns = await readColumns(client);

  const prepare = (text: string) =>
    new Promise<Field[]>((resolve, reject) => {
      const description = new Description(text, (error, fields) => (error ? reject(error) : resolve(fields)));
      client.query(description as unknown as pg.Submittable);
    });

  return {
    async describe(text: string): Promise<Described[]> {
      return (await prepare(text)).map(({ name, dataTypeID, tableID, columnID }) => {
        const stored = columns.get(`${tableID}.${columnID}`);
        const type = types.get(dataTypeID) ?? 'text';
        return { name, type, column: stored?.name, nullable: stored?.nullable };
      });
    },
    close: () => client.end(),
  };
}

async function readTypes(client: pg.Client): Promise<Map<number, string>> {
  const { rows } = await client.query<{ oid: number; name: string }>(`
    select t.oid::int, coalesce(base.typname, t.typname) as name
    from pg_type t left join pg_type base on t.typtype = 'd' and base.oid = t.typbasetype`);
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

async function readColumns(client: pg.Client): Promise<Map<string, { name: string; nullable: boolean }>> {
  const { rows } = await client.query<{ place: string; name: string; nullable: boolean }>(`
    select attrelid::int || '.' || attnum as place, attname as name, not attnotnull as nullable
    from pg_attribute where attnum > 0`);
  return new Map(rows.map(({ place, ...column }) => [place, column]));
}
