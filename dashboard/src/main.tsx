import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { applyTheme } from './shell/theme.js';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the dashboard');
applyTheme();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
