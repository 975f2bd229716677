/** A Pi extension with the tools of Guildhall's MCP server. Pi loads it, so it cannot import our code. */
export const PI_TOOLS = `
const url = process.env.GUILDHALL_MCP_URL;
let nextId = 1;

async function call(method, params, signal) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + process.env.GUILDHALL_MCP_TOKEN,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params }),
    signal,
  });
  const text = await response.text();
  const data = text.startsWith('{') ? text : text.split('\\n').filter((line) => line.startsWith('data:')).at(-1)?.slice(5);
  const answer = JSON.parse(data ?? '{}');
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
}

export default async function (pi) {
  const clientInfo = { name: 'guildhall', version: '1' };
  await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const { tools } = await call('tools/list', {});
  for (const { name, description, inputSchema } of tools)
    pi.registerTool({
      name: 'guildhall_' + name,
      label: name,
      description: description ?? name,
      parameters: inputSchema,
      async execute(_id, params, signal) {
        const result = await call('tools/call', { name, arguments: params }, signal);
        if (result.isError) throw new Error(result.content.map(({ text }) => text).join('\\n'));
        return { content: result.content, details: {} };
      },
    });
}
`;
