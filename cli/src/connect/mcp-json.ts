import { bridgeTo, type Edit } from './edit.js';
import { equals, isObject, readObject, writeObject } from './json.js';

/** Edits `.mcp.json`, which refers to the token by an environment variable to keep it out of git. */
export const mcpJson: Edit = {
  path: '.mcp.json',
  add(text, { url, way }) {
    const file = readObject(this.path, text);
    const servers = isObject(file['mcpServers']) ? file['mcpServers'] : {};
    const straight = {
      type: 'http',
      url: `${url}/mcp`,
      headers: { Authorization: `Bearer \${GUILDHALL_TOKEN}` },
    };
    const ours = way === 'token' ? straight : { type: 'stdio', ...bridgeTo(url, 'claude') };
    if (equals(servers['guildhall'], ours)) return text;
    return writeObject(text, { ...file, mcpServers: { ...servers, guildhall: ours } });
  },
  remove(text) {
    const file = readObject(this.path, text);
    const { mcpServers, ...others } = file;
    if (!isObject(mcpServers) || !('guildhall' in mcpServers)) return text;
    const { guildhall: _, ...servers } = mcpServers;
    const rest = Object.keys(servers).length > 0 ? { ...file, mcpServers: servers } : others;
    return Object.keys(rest).length > 0 ? writeObject(text, rest) : null;
  },
};
