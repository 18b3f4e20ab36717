"""The law desk: where practitioners and agents come in, with a document and a question.

explain      what was found of a citation, in a sentence: the day, the text, what to cite instead
filing       a report on documents that can be filed; as_html, as_docx and so on write it
word_comments  the document itself as a Word file, with a comment at each citation
rest         what can be asked over HTTP, with its types; the OpenAPI document is made of them
worker       what is done to documents of others, in processes with limits
served       the server: the questions, the documents, the page
mcp_server   the law as tools for agents
"""
