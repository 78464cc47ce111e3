"""Files of rows and columns: workbooks (xlsx, xls, ods) and delimited text."""
